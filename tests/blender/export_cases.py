"""Scenes exported from Blender: accepted by `ooze check`, and simulated as they were drawn."""
import math
import os

import bpy
import numpy
from mathutils import Matrix, Quaternion, Vector

import ooze
from case import FOLDER, BlenderCase, info, ooze as command


def read_scene(path):
    with open(path, encoding="utf-8") as file:
        return ooze.scene_text.read(file.read())


class ExportCase(BlenderCase):
    def setUp(self):
        super().setUp()
        self.folder = FOLDER / self.id().split(".")[-1]
        self.settings.scene_file = str(self.folder / "scene.yaml")
        self.settings.run = str(self.folder / "run")
        self.settings.spacing, self.settings.threads = 0.02, 1
        self.settings.method, self.settings.time_step = "ballistic", 1 / 240
        self.scene.frame_start, self.scene.frame_end = 1, 7

    def add(self, role, name, maker=bpy.ops.mesh.primitive_cube_add, **options):
        maker(**options)
        thing = bpy.context.object
        thing.name, thing.ooze_role.role = name, role
        return thing

    def add_nozzle(self, location=(0, 0, 0.6)):
        nozzle = self.add("EMITTER", "nozzle", bpy.ops.object.empty_add, location=location)
        nozzle.ooze_role.radius, nozzle.ooze_role.speed = 0.03, 1.0
        return nozzle

    def add_paddle(self):
        """Turns by 90 degrees about z and moves along x."""
        paddle = self.add("SOLID", "the paddle", size=0.1, location=(0.3, 0, 0.1))
        paddle.scale = (3, 1, 0.5)
        paddle.keyframe_insert("location", frame=1)
        paddle.keyframe_insert("rotation_euler", frame=1)
        paddle.location.x, paddle.rotation_euler.z = 0.5, math.pi / 2
        paddle.keyframe_insert("location", frame=7)
        paddle.keyframe_insert("rotation_euler", frame=7)
        return paddle

    def export(self):
        self.good(bpy.ops.ooze.export_scene)
        return read_scene(self.settings.scene_file)

    def solid_pose(self, name, frame):
        """Position and rotation (w, x, y, z) in a frame of the run."""
        path = os.path.join(self.settings.run, "surface", f"frame_{frame:06d}.ply")
        return ooze.ply.solid_poses(ooze.ply.read_comments(path))[name]


class Export(ExportCase):
    def test_scene_passes_the_check_and_runs_as_it_is_drawn(self):
        fluid = self.add("FLUID", "block", size=0.2, location=(-0.3, 0.1, 0.4))
        fluid.rotation_euler.x = math.pi / 2
        fluid.ooze_role.velocity = (0.2, 0, 0)
        self.add("SOLID", "floor", bpy.ops.mesh.primitive_plane_add, size=4).ooze_role.plane = True
        paddle, nozzle = self.add_paddle(), self.add_nozzle()
        nozzle.rotation_euler.y = -math.pi / 2  # local -Z becomes world +X
        self.good(bpy.ops.ooze.run)
        self.assertEqual(info(self.settings.run)["frame"], 6)
        # the block has its volume, and the nozzle adds to it
        first = info(os.path.join(self.settings.run, "frames/frame_000000.h5"))
        self.assertEqual(first["particles"], 1000)
        low, high = (numpy.array(first["fields"][0][key]) for key in ("min", "max"))
        self.assertTrue(numpy.allclose((low + high) / 2, (-0.3, 0.1, 0.4), atol=1e-3))
        last = info(os.path.join(self.settings.run, "frames/frame_000006.h5"))
        self.assertGreater(last["particles"], 1000)
        self.assertGreater(last["fields"][1]["max"][0], 0.9)  # the jet's speed along x
        for frame in (0, 2, 6):
            self.scene.frame_set(1 + frame)
            place, turn = self.solid_pose("the_paddle", frame)
            self.assertTrue(numpy.allclose(place, paddle.matrix_world.translation, atol=1e-5))
            turn, drawn = Quaternion(turn), paddle.matrix_world.to_quaternion()
            self.assertGreater(abs(turn.dot(drawn)), 1 - 1e-5)

    def test_motion_is_followed_between_frames(self):
        """Keyframes of every frame keep the curve of an eased motion, and a pause has two."""
        paddle = self.add_paddle()
        self.add_nozzle()
        self.scene.frame_end = 13
        keys = [solid for solid in self.export()["solids"]][0]["motion"]["keyframes"]
        times = [key["time"] for key in keys]
        self.assertEqual(len(times), 9, "the pause from frame 7 to 14 is left out")
        for key in keys:
            self.scene.frame_set(1 + round(24 * key["time"]))
            self.assertTrue(numpy.allclose(key["position"], paddle.location, atol=1e-6))

    def test_mesh_has_modifiers_scale_and_outward_faces(self):
        block = self.add("FLUID", "block", size=0.1, location=(0, 0, 0.5))
        block.scale = (2, -1, 1)
        array = block.modifiers.new("array", "ARRAY")
        array.count, array.relative_offset_displace = 2, (0, 0, 2)
        scene = self.export()
        path = self.folder / scene["fluids"][0]["shape"]["file"]
        facts = info(path)
        self.assertEqual((facts["vertices"], facts["triangles"]), (16, 24))
        self.assertAlmostEqual(facts["volume"], 2 * 0.2 * 0.1 * 0.1, places=6)
        self.assertTrue(facts["watertight"])

    def test_parents_and_units_are_applied(self):
        self.scene.unit_settings.scale_length = 0.01  # the file is in centimetres
        parent = self.add("NONE", "parent", bpy.ops.object.empty_add, location=(100, 0, 0))
        ball = self.add("FLUID", "ball", bpy.ops.mesh.primitive_uv_sphere_add, radius=10)
        ball.parent, ball.location = parent, (0, 0, 50)
        shape = self.export()["fluids"][0]["shape"]
        self.assertTrue(numpy.allclose(shape["position"], (1, 0, 0.5), atol=1e-6))
        self.assertAlmostEqual(info(self.folder / shape["file"])["max"][0], 0.1, places=5)

    def test_materials_are_presets_or_own_numbers(self):
        self.add_nozzle().ooze_role.preset = "ketchup"
        own = self.add("FLUID", "own", size=0.1, location=(1, 0, 1)).ooze_role
        own.preset, own.density, own.viscosity, own.modulus = "CUSTOM", 1234, 5, 100
        own.heated, own.temperature = True, 77
        self.settings.method = "conformation"
        self.settings.time_step = 0
        scene = self.export()
        self.assertEqual(scene["materials"]["ketchup"], {"preset": "ketchup"})
        material = scene["materials"][scene["fluids"][0]["material"]]
        self.assertEqual((material["density"], material["viscosity"], material["modulus"]),
                         (1234, 5, 100))
        self.assertEqual(scene["fluids"][0]["temperature"], 77)
        self.assertEqual(scene["time_step"], "auto")

    def test_presets_and_methods_are_those_of_ooze(self):
        import json
        names = [preset["name"] for preset in json.loads(command("presets", "--json"))]
        self.assertEqual(list(ooze.properties.PRESETS), names)
        listed = command("methods")
        for name in ooze.properties.METHODS:
            self.assertIn(name, listed)

    def test_rectangular_nozzle_keeps_its_roll(self):
        nozzle = self.add_nozzle()
        nozzle.ooze_role.outline, nozzle.ooze_role.size = "rectangle", (0.4, 0.06)
        nozzle.rotation_euler.z = math.pi / 2  # its long edge along y
        self.good(bpy.ops.ooze.run)
        facts = info(os.path.join(self.settings.run, "frames/frame_000003.h5"))
        extent = numpy.subtract(facts["fields"][0]["max"], facts["fields"][0]["min"])
        self.assertGreater(extent[1], 0.3)
        self.assertLess(extent[0], 0.1)

    def test_camera_sees_the_same_in_both_programs(self):
        self.add_nozzle()
        camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        self.scene.collection.objects.link(camera)
        camera.matrix_world = Matrix.Translation((0, -2, 1)) @ Matrix.Rotation(1.2, 4, "X")
        self.scene.camera = camera
        bpy.context.view_layer.update()
        seen = self.export()["render"]["camera"]
        aim = Vector(seen["look_at"]) - Vector(seen["position"])
        self.assertTrue(numpy.allclose(aim, camera.matrix_world.to_3x3() @ Vector((0, 0, -1)),
                                       atol=1e-5))
        # Blender's angle is that of the width of 1920 x 1080
        height = 2 * math.atan(math.tan(camera.data.angle / 2) * 1080 / 1920)
        self.assertAlmostEqual(seen["field_of_view"], math.degrees(height), places=3)

    def test_run_of_a_changed_scene_is_refused(self):
        self.add_nozzle()
        self.good(bpy.ops.ooze.run)
        self.good(bpy.ops.ooze.run)  # finished already
        self.settings.spacing = 0.03
        self.bad("not the one of the run", bpy.ops.ooze.run)
        self.assertEqual(info(self.settings.run)["spacing"], 0.02)

    def test_solids_of_the_scene_are_not_drawn_twice(self):
        """Only a dynamic one, which the run has moved, is drawn besides."""
        if "ode      yes" not in command("version"):
            self.skipTest("this build has no dynamic solids")
        self.add_nozzle()
        self.add_paddle()
        ball = self.add("SOLID", "ball", bpy.ops.mesh.primitive_uv_sphere_add, radius=0.05,
                        location=(0, 0, 0.2))
        ball.ooze_role.solid_density = 500
        self.scene.frame_end = 4
        self.good(bpy.ops.ooze.run)
        self.assertEqual((self.scene.frame_start, self.scene.frame_end), (1, 4))
        self.assertNotIn("run the_paddle", bpy.data.objects)
        self.assertTrue(ball.hide_render)
        self.scene.frame_set(4)
        fallen = 0.2 - bpy.data.objects["run ball"].matrix_world.translation.z
        self.assertLess(abs(fallen - 0.5 * 9.81 * (3 / 24) ** 2), 0.01)

    def test_include_adds_sections(self):
        self.add_nozzle()
        (self.folder).mkdir(exist_ok=True)
        (self.folder / "more.yaml").write_text("probes: [{kind: height}]\n")
        self.settings.include = str(self.folder / "more.yaml")
        self.good(bpy.ops.ooze.run)
        with open(os.path.join(self.settings.run, "probes.csv"), encoding="utf-8") as file:
            self.assertIn("height", file.readline())


class Refusals(ExportCase):
    def test_scene_without_a_role(self):
        self.bad("No object is a fluid", bpy.ops.ooze.export_scene)

    def test_fluid_without_a_mesh(self):
        self.add("FLUID", "nothing", bpy.ops.object.empty_add)
        self.bad("nothing has no mesh", bpy.ops.ooze.export_scene)

    def test_animated_scale(self):
        self.add_nozzle()
        solid = self.add("SOLID", "balloon", size=0.1)
        solid.keyframe_insert("scale", frame=1)
        solid.scale = (2, 2, 2)
        solid.keyframe_insert("scale", frame=7)
        self.bad("scale of balloon is animated", bpy.ops.ooze.export_scene)

    def test_folder_that_cannot_be_written(self):
        self.add_nozzle()
        (FOLDER / "file").write_text("")
        self.settings.scene_file = str(FOLDER / "file/scene.yaml")
        self.bad("cannot be written", bpy.ops.ooze.export_scene)

    def test_unsaved_file_has_no_relative_folder(self):
        self.add_nozzle()
        self.settings.scene_file = "//scene.yaml"
        self.bad("Save the Blender file first", bpy.ops.ooze.export_scene)
