"""Writes the objects of a Blender scene that have a role as a scene of Ooze, with their meshes."""
import math
import os
import re

import numpy
from mathutils import Vector

import bpy

from . import command, geometry, ply, scene_text, sequence

STILL = 1e-6  # difference of positions or quaternions below which a pose is the same


def plain_name(name, used):
    """Letters, digits and underscores, unlike the names used so far."""
    base = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:48] or "object"
    name, number = base, 1
    while name in used:
        number += 1
        name = f"{base}_{number}"
    used.add(name)
    return name


class Exporter:
    """One export: the scene, the folder of the meshes, and the names that are used."""

    def __init__(self, scene, path):
        self.scene, self.path = scene, path
        self.unit = scene.unit_settings.scale_length
        self.meshes = os.path.splitext(path)[0] + "_meshes"
        self.used, self.materials = set(), {}
        self.members = [thing for thing in scene.objects if thing.ooze_role.role != "NONE"]

    def poses(self):
        """Position in metres, rotation and scale of each member at each frame, and one frame
        before and after, so that motion begins and ends with its speed."""
        frames = range(self.scene.frame_start - 1, self.scene.frame_end + 2)
        kept = self.scene.frame_current
        poses = {thing: [] for thing in self.members}
        for frame in frames:
            self.scene.frame_set(frame)
            time = (frame - self.scene.frame_start) / sequence.fps(self.scene)
            for thing in self.members:
                place, rotation, scale = thing.matrix_world.decompose()
                poses[thing].append((time, place * self.unit, rotation, scale))
        self.scene.frame_set(kept)
        return poses

    def write(self):
        if not any(thing.ooze_role.role in ("FLUID", "EMITTER") for thing in self.members):
            raise command.OozeError("No object is a fluid or an emitter: give one its role in the "
                                    "panel Ooze.")
        poses = self.poses()
        self.scene.frame_set(self.scene.frame_start)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        lists = {"fluids": [], "solids": [], "emitters": [], "sinks": []}
        os.makedirs(self.meshes, exist_ok=True)
        for thing in self.members:
            kind = thing.ooze_role.role
            make = {"FLUID": self.fluid, "SOLID": self.solid, "EMITTER": self.emitter,
                    "SINK": self.sink}[kind]
            name = plain_name(thing.name, self.used)
            thing["ooze_name"] = name
            lists[kind.lower() + "s"].append({"name": name,
                                              **make(thing, name, poses[thing], depsgraph)})
        entries = self.head()
        entries["materials"] = self.materials
        entries.update((key, value) for key, value in lists.items() if value)
        camera = self.camera()
        if camera:
            entries["render"] = {"camera": camera}
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("# Exported from Blender.\n" + scene_text.write(entries))
        return self.path

    def head(self):
        settings, render = self.scene.ooze, self.scene.render
        frames = max(self.scene.frame_end - self.scene.frame_start, 1)
        entries = {"ooze": 2, "title": self.scene.name, "up": "z"}
        if settings.include:
            entries["include"] = [os.path.abspath(bpy.path.abspath(settings.include))]
        entries["method"] = {"name": settings.method}
        entries["spacing"] = settings.spacing
        entries["time_step"] = settings.time_step or "auto"
        entries.update(scene_text.times(frames, render.fps, render.fps_base))
        gravity = self.scene.gravity if self.scene.use_gravity else (0, 0, 0)
        entries["gravity"] = list(gravity)
        return entries

    def material(self, role, name):
        """Name of the material; equal presets share one."""
        if role.preset != "CUSTOM":
            self.materials[role.preset] = {"preset": role.preset}
            return role.preset
        numbers = {"density": role.density, "viscosity": role.viscosity,
                   "color": list(role.color)}
        if role.modulus > 0:
            numbers["modulus"] = role.modulus
            if role.viscosity == 0:
                del numbers["viscosity"]  # elastic for ever; else it relaxes in viscosity / modulus
        name = plain_name(f"{name}_material", self.used)
        self.materials[name] = numbers
        return name

    def mesh(self, thing, name, depsgraph, scale):
        """Writes the object's mesh, in its own frame scaled to metres; the path for the scene."""
        if thing.type not in ("MESH", "CURVE", "SURFACE", "FONT", "META"):
            raise command.OozeError(f"{thing.name} has no mesh, so it cannot be a "
                                    f"{thing.ooze_role.role.lower()}.")
        vertices, triangles = geometry.evaluated_triangles(thing, depsgraph)
        if not len(triangles):
            raise command.OozeError(f"{thing.name} has no faces.")
        if scale.x * scale.y * scale.z < 0:
            triangles = triangles[:, ::-1]
        file = os.path.join(self.meshes, f"{name}.ply")
        ply.write(file, vertices * numpy.array(scale) * self.unit, triangles)
        return os.path.relpath(file, os.path.dirname(self.path))

    def placed(self, thing, name, poses, depsgraph):
        """The shape of a mesh at the first frame."""
        _, place, rotation, scale = poses[1]
        shape = {"type": "mesh", "file": self.mesh(thing, name, depsgraph, scale),
                 "position": list(place)}
        return {**shape, **turned(rotation)}

    def fluid(self, thing, name, poses, depsgraph):
        role = thing.ooze_role
        entries = {"material": self.material(role, name),
                   "shape": self.placed(thing, name, poses, depsgraph), "body": role.body,
                   "velocity": list(role.velocity)}
        if role.heated:
            entries["temperature"] = role.temperature
        return entries

    def solid(self, thing, name, poses, depsgraph):
        role = thing.ooze_role
        if any((pose[3] - poses[1][3]).length > 1e-5 for pose in poses):
            raise command.OozeError(f"The scale of {thing.name} is animated; a solid can only "
                                    "move and turn.")
        if role.plane:
            normal = poses[1][2] @ Vector((0, 0, 1))
            shape = {"type": "plane", "normal": list(normal), "position": list(poses[1][1])}
        else:
            shape = self.placed(thing, name, poses, depsgraph)
        entries = {"shape": shape}  # without a friction fluid does not slip
        if not role.no_slip:
            entries["friction"] = role.friction
        if role.solid_density > 0:
            entries["density"] = role.solid_density
        elif moves(poses):
            if role.plane:
                raise command.OozeError(f"{thing.name} is an infinite plane and animated; use its "
                                        "mesh.")
            entries["motion"] = {"keyframes": keyframes(poses)}
        if role.heated:
            entries["temperature"] = role.temperature
        if thing.active_material:
            entries["color"] = list(thing.active_material.diffuse_color)[:3]
        return entries

    def emitter(self, thing, name, poses, _depsgraph):
        role = thing.ooze_role
        _, place, rotation, _ = poses[1]
        entries = {"material": self.material(role, name), "outline": role.outline}
        if role.outline == "disc":
            entries["radius"] = role.radius * self.unit
        else:
            entries["size"] = [edge * self.unit for edge in role.size]
        entries.update(position=list(place), speed=role.speed, start=role.start)
        if role.stop > 0:
            entries["stop"] = role.stop
        if role.heated:
            entries["temperature"] = role.temperature
        if moves(poses) or role.outline == "rectangle":
            # keyframes turn the nozzle from this direction, and its outline with it
            entries["direction"] = [0, 0, -1]
            entries["motion"] = {"keyframes": keyframes(poses)}
        else:
            entries["direction"] = list(rotation @ Vector((0, 0, -1)))
        return entries

    def sink(self, thing, name, poses, depsgraph):
        role = thing.ooze_role
        entries = {"shape": self.placed(thing, name, poses, depsgraph), "start": role.start}
        if role.stop > 0:
            entries["stop"] = role.stop
        return entries

    def camera(self):
        camera = self.scene.camera
        if not camera or camera.data.type != "PERSP":
            return None
        place, rotation, _ = camera.matrix_world.decompose()
        frame = camera.data.view_frame(scene=self.scene)
        tangent = max(abs(corner.y / corner.z) for corner in frame)
        angle = min(max(math.degrees(2 * math.atan(tangent)), 1), 150)
        target = place + rotation @ Vector((0, 0, -1))
        return {"position": list(place * self.unit), "look_at": list(target * self.unit),
                "field_of_view": angle}


def turned(rotation):
    """The key `rotation`, left out where there is none."""
    axis, angle = rotation.to_axis_angle()
    if abs(angle) < STILL:
        return {}
    return {"rotation": {"axis": list(axis), "degrees": math.degrees(angle)}}


def same(a, b):
    turn = min((a[2] - b[2]).magnitude, (a[2] + b[2]).magnitude)  # q and -q are one rotation
    return (a[1] - b[1]).length < STILL and turn < STILL


def moves(poses):
    return any(not same(pose, poses[0]) for pose in poses)


def keyframes(poses):
    """A keyframe for each frame, without those in the middle of a pause."""
    kept = [pose for i, pose in enumerate(poses)
            if i in (0, len(poses) - 1) or not (same(pose, poses[i - 1]) and
                                                same(pose, poses[i + 1]))]
    rows = []
    for time, place, rotation, _ in kept:
        row = {"time": time, "position": list(place)}
        axis, angle = rotation.to_axis_angle()
        row["rotation"] = {"axis": list(axis) if abs(angle) >= STILL else [0, 0, 1],
                           "degrees": math.degrees(angle)}
        rows.append(row)
    return rows


def export(scene, path):
    """Writes the scene file and its meshes; returns the path."""
    path = os.path.abspath(path)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return Exporter(scene, path).write()
    except OSError as error:
        raise command.OozeError(f"{error.filename or path} cannot be written: "
                                f"{error.strerror}.") from error
