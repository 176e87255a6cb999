"""USD layers of `ooze export` and `ooze mesh`, read by TinyUSDZ, a program of other authors. Ends
with 77, which CTest reports as skipped, where Node is missing or the reader cannot be downloaded
from npm; it is then kept in the build folder."""
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import h5py
import numpy

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["OOZE_BUILD_DIR"]).resolve()
PACKAGE = "tinyusdz@0.9.0-rc10"
INTEGRITY = ("sha512-MgToqEIhJoYaS4obCVHLllKjkMGiIQQqxDS9BO6GdvV"
             "QRpL6TQ/0kow4SOo1zQDwNv9EjYcJtHiPr506v+XOXg==")

SCENE = """
ooze: 2
up: @UP@
method: {name: ballistic}
spacing: 0.02
time_step: 1/120
duration: 0.125
frame_rate: 24
materials:
  honey: {preset: honey}
  red: {density: 1000, color: [0.8, 0.05, 0.04]}
fluids:
  - {material: honey, temperature: 60, velocity: [0.5, 0.125, 0.25],
     shape: {type: box, size: [0.1, 0.12, 0.08], position: [0.2, 0.5, 0.2]}}
  - {material: red, temperature: 20, shape: {type: sphere, radius: 0.05, position: [0.6, 0.4, 0.1]}}
solids:
  - {name: floor, shape: {type: plane}}
  - name: moving paddle
    shape: {type: box, size: [0.3, 0.02, 0.02], position: [0, 0.2, 0]}
    motion: {spin: [0, 0, 90], velocity: [0.2, 0, 0]}
"""


def find_reader():
    """The folder of the reader's package, or None."""
    folder = BUILD / "usd-reader"
    archive = folder / "tinyusdz-0.9.0-rc10.tgz"
    if not shutil.which("node") or not shutil.which("npm"):
        return None
    if not archive.exists():
        folder.mkdir(exist_ok=True)
        subprocess.run(["npm", "pack", PACKAGE, "--silent", "--fetch-retries=1",
                        "--fetch-timeout=20000"], cwd=folder, capture_output=True, timeout=120)
    if not archive.exists():
        return None
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if "sha512-" + digest != INTEGRITY:
        raise ValueError(f"{archive} is not the package that this test names")
    with tarfile.open(archive) as file:
        file.extractall(folder)
    (folder / "package/package.json").write_text('{"type": "module"}')
    return folder / "package"


def ooze(*arguments):
    subprocess.run([BUILD / "ooze", *map(str, arguments)], check=True, capture_output=True)


def samples(text, name):
    """Numbers of an attribute's sample at time code 0."""
    found = re.search(rf"{re.escape(name)}\.timeSamples = \{{\s*0: \[(.*?)\],?\s*\}}", text, re.S)
    return numpy.array(re.sub(r"[()\s]", "", found[1]).split(","), float)


class Reader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-usd-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        for up in "yx":
            (cls.folder / f"{up}.yaml").write_text(SCENE.replace("@UP@", up))
            run = cls.folder / up
            ooze("run", cls.folder / f"{up}.yaml", "-o", run, "--threads", 1)
            ooze("export", run, "--format", "usda")
            ooze("mesh", run, "--format", "usda", "--fields", "temperature,velocity")

    def read(self, folder, *files):
        done = subprocess.run(["node", HERE / "read.mjs", READER, self.folder / folder, *files],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        layers = json.loads(done.stdout)
        for name, layer in layers.items():
            self.assertTrue(layer["ok"], f"{name}: {layer['error']}")
            self.assertEqual(layer["error"], "")
        return layers

    def fields(self, frame, up="y"):
        with h5py.File(self.folder / up / f"frames/frame_{frame:06d}.h5") as file:
            return {name: data[...] for name, data in file["particles"].items()}

    def test_mesh_is_that_of_the_ply_file(self):
        ooze("mesh", self.folder / "y", "--fields", "temperature")
        names = [f"frame_{n:06d}" for n in (0, 3)]
        layers = self.read("y/surface", *(f"{name}.usda" for name in names))
        for name in names:
            data = (self.folder / f"y/surface/{name}.ply").read_bytes()
            head, _, body = data.partition(b"end_header\n")
            count, triangles = map(int, re.findall(rb"element \w+ (\d+)", head))
            row = [(n, "<f4") for n in "x y z nx ny nz vx vy vz".split()]
            row += [("color", "u1", 3), ("material", "<u4"), ("temperature", "<f4")]
            vertices = numpy.frombuffer(body, numpy.dtype(row), count)
            faces = numpy.frombuffer(body, [("n", "u1"), ("v", "<u4", 3)], triangles,
                                     vertices.nbytes)
            layer = layers[f"{name}.usda"]
            mesh, text = layer["meshes"][0], layer["text"]
            self.assertEqual(mesh["path"], "/ooze/surface")
            self.assertEqual(mesh["counts"], [3] * triangles)
            self.assertEqual(mesh["indices"], faces["v"].ravel().tolist())
            points = numpy.array(mesh["points"], numpy.float32).reshape(-1, 3)
            for i, axis in enumerate("xyz"):
                self.assertTrue(numpy.array_equal(points[:, i], vertices[axis]))
                velocity = samples(text, "velocities").reshape(-1, 3)[:, i]
                self.assertTrue(numpy.allclose(velocity, vertices["v" + axis], atol=1e-5))
            self.assertTrue(numpy.allclose(samples(text, "primvars:temperature"),
                                           vertices["temperature"], atol=1e-3))
            self.assertTrue(numpy.array_equal(samples(text, "primvars:material"),
                                              vertices["material"]))
            self.assertEqual(len(samples(text, "primvars:displayColor")), 3 * count)
            self.assertIn('interpolation = "vertex"', text)

    def test_points_are_the_particles(self):
        layers = self.read("y/export", "frame_000000.usda", "frame_000003.usda")
        for frame in (0, 3):
            text, fields = layers[f"frame_{frame:06d}.usda"]["text"], self.fields(frame)
            self.assertIn('def Points "particles"', text)
            for name, field in (("points", "position"), ("velocities", "velocity"),
                                ("primvars:temperature", "temperature"),
                                ("primvars:material", "material")):
                self.assertTrue(numpy.allclose(samples(text, name), fields[field].ravel(),
                                               atol=2e-6, rtol=1e-5), name)
            self.assertEqual(len(samples(text, "ids")), len(fields["id"]))
            self.assertRegex(text, r"float\[\] widths = \[0\.02")

    def test_stages_compose(self):
        for folder, mesh in (("surface", "/ooze/surface"),
                             ("export", "/ooze/solids/moving_paddle/shape")):
            stage = self.read(f"y/{folder}", "run.usda")["run.usda"]
            self.assertTrue(stage["composed"])
            self.assertIn("./frame_000000.usda", stage["assets"])
            self.assertEqual([found["path"] for found in stage["meshes"]], [mesh])
            for line in ('upAxis = "Y"', "metersPerUnit = 1", "timeCodesPerSecond = 24",
                         "framesPerSecond = 24", "startTimeCode = 0", "endTimeCode = 3",
                         'defaultPrim = "ooze"', 'primPath = "/ooze"'):
                self.assertIn(line, stage["text"])

    def test_solids_have_their_shape_and_pose(self):
        layers = self.read("y/export", "solids.usda", "frame_000003.usda")
        points = numpy.array(layers["solids.usda"]["meshes"][0]["points"]).reshape(-1, 3)
        self.assertTrue(numpy.allclose(numpy.ptp(points, axis=0), (0.3, 0.02, 0.02), atol=1e-6))
        with h5py.File(self.folder / "y/frames/frame_000003.h5") as file:
            pose = file["solids/pose"][1]
        paddle = layers["frame_000003.usda"]["text"].partition('"moving_paddle"')[2]
        numbers = [float(x) for x in
                   re.search(r"translate.timeSamples = \{\s*0: \((.*?)\)", paddle)[1].split(",")]
        self.assertTrue(numpy.allclose(numbers, pose[:3], atol=1e-6))
        self.assertIn('displayName = "moving paddle"', paddle)

    def test_a_scene_with_x_up_is_turned(self):
        text = self.read("x/surface", "frame_000003.usda")["frame_000003.usda"]["text"]
        self.assertIn('upAxis = "Y"', text)
        self.assertRegex(text, r"double xformOp:rotateZ = 90")


READER = find_reader()
if __name__ == "__main__":
    if not READER:
        print("skipped: there is no Node, or TinyUSDZ cannot be downloaded from npm")
        sys.exit(77)
    unittest.main(verbosity=2)
