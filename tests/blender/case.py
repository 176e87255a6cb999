"""Shared by the cases that run inside Blender."""
import json
import os
import pathlib
import subprocess
import unittest

import bpy
import numpy

FOLDER = pathlib.Path(os.environ["OOZE_TEST_FOLDER"])
OOZE = os.environ["OOZE"]
RUN = FOLDER / "run"


def ooze(*arguments):
    done = subprocess.run([OOZE, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def info(path):
    return json.loads(ooze("info", path, "--json"))


def expected(frame):
    """The particles and poses of a frame as HDF5 says."""
    return numpy.load(FOLDER / f"frame_{frame:06d}.npz")


def values(mesh, name, width=1):
    attribute = mesh.attributes[name]
    key = {"FLOAT_VECTOR": "vector", "FLOAT_COLOR": "color"}.get(attribute.data_type, "value")
    kind = numpy.int32 if attribute.data_type == "INT" else numpy.float32
    data = numpy.empty(len(attribute.data) * width, kind)
    attribute.data.foreach_get(key, data)
    return data.reshape(-1, width) if width > 1 else data


def positions(mesh):
    data = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", data)
    return data.reshape(-1, 3)


class BlenderCase(unittest.TestCase):
    """An empty file with the add-on's default settings."""

    def setUp(self):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        if "ooze" not in bpy.context.preferences.addons:
            bpy.ops.preferences.addon_enable(module="ooze")
        self.scene = bpy.context.scene
        self.settings = self.scene.ooze

    def state(self):
        return bpy.context.window_manager.ooze_state

    def good(self, operator, **options):
        result = operator(**options)
        self.assertEqual(result, {"FINISHED"}, self.state().text)
        self.assertFalse(self.state().failed, self.state().text)

    def bad(self, part, operator, **options):
        """The operator fails with one sentence that holds `part`, in the panel and the report."""
        with self.assertRaises(RuntimeError) as caught:
            operator(**options)
        self.assertIn(part, self.state().text)
        self.assertIn(part, str(caught.exception))
        self.assertTrue(self.state().failed)
        self.assertNotIn("\n", self.state().text)
        self.assertTrue(self.state().text.endswith("."), self.state().text)
        self.assertFalse(self.state().running)
