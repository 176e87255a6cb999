"""What a run folder holds: its scene, its frames, and the files made from them."""
import json
import os

from . import command, looks, ply, scene_text

SURFACE, POINTS = "surface", "export"  # subfolders where `ooze mesh` and `ooze export` write
FIELDS = ("temperature",)              # carried to the vertices of the surface where a run has them

listings = {}  # frames by folder, and the time at which the folder had changed


def frames_in(folder):
    """Sorted numbers of the frames that have a PLY file in the folder."""
    try:
        changed = os.stat(folder).st_mtime_ns
    except OSError:
        return []
    known = listings.get(folder)
    if not known or known[0] != changed:
        numbers = [ply.frame_number(name) for name in os.listdir(folder)]
        known = changed, sorted(n for n in numbers if n is not None)
        listings[folder] = known
    return known[1]


def frame_path(folder, number):
    return os.path.join(folder, f"frame_{number:06d}.ply")


class RunFolder:
    """A run folder and what `ooze info` says of it."""

    def __init__(self, executable, folder):
        self.executable, self.folder = executable, os.path.abspath(folder)
        scene = os.path.join(self.folder, "scene.yaml")
        if not os.path.isfile(scene):
            raise command.OozeError(f"{folder} is not a run folder: it has no scene.yaml.")
        # 1: frames are missing or damaged, and the others can be used
        text = command.run(executable, "info", self.folder, "--json", accept=(0, 1))
        try:
            self.facts = json.loads(text)
            with open(scene, encoding="utf-8") as file:
                self.scene = scene_text.read(file.read())
        except (ValueError, scene_text.SceneTextError) as error:
            raise command.OozeError(f"{folder} cannot be read: {error}") from error
        if not self.facts.get("present"):
            raise command.OozeError(f"{folder} has no frames yet.")

    def name(self):
        return os.path.basename(self.folder)

    def frame_rate(self):
        return float(self.scene.get("frame_rate", 24))

    def up(self):
        return self.scene.get("up", "y")

    def last_frame(self):
        return max(int(part.split(":")[-1]) for part in self.facts["present"])

    def extent(self):
        """Edge of a cube of the fluid's volume, as the renderer takes it for looks."""
        return (self.facts["particles"] + 1) ** (1 / 3) * self.facts["spacing"]

    def spacing(self):
        return self.facts["spacing"]

    def fields(self):
        names = [field["name"] for field in self.facts["fields"]]
        return [name for name in FIELDS if name in names]

    def material_looks(self):
        """(name, look) of each material, in the order of the vertices' numbers."""
        materials = self.scene.get("materials") or {}
        return [(name, looks.choose(name, materials.get(name) or {}, "glossy", self.extent()))
                for name in self.facts["materials"]]

    def solid_looks(self):
        """(name, definition, look) of each visible solid."""
        return [(solid["name"], solid,
                 looks.choose(solid["name"], solid, "matte", self.extent()))
                for solid in self.scene.get("solids") or [] if solid.get("visible", True)]

    def mesh_arguments(self):
        arguments = ["mesh", self.folder]
        return arguments + ["--fields", ",".join(self.fields())] if self.fields() else arguments

    def points_arguments(self):
        missing = set(range(self.last_frame() + 1)) - set(
            frames_in(os.path.join(self.folder, POINTS)))
        first = min(missing) if missing else self.last_frame()
        return ["export", self.folder, "--format", "ply", "--frames", f"{first}:"]
