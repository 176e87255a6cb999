"""Shared by the tests of the Python package: the package of the source tree with the library and
command of the build, a small scene, and a scratch folder. Ends with 77, which CTest reports as
skipped, where the package cannot be used."""
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("OOZE_BUILD_DIR", ROOT / "build"))
os.environ["OOZE_LIBRARY"] = str(BUILD / "libooze.so")
os.environ["OOZE_COMMAND"] = str(BUILD / "ooze")
os.environ.setdefault("OOZE_DEVICE", "cpu")
sys.path.insert(0, str(ROOT / "python"))


def skip_all(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy
except ImportError:
    skip_all("there is no NumPy (package python3-numpy)")
if re.search(r"^OOZE_SANITIZE:\w+=.", (BUILD / "CMakeCache.txt").read_text(), re.M):
    skip_all("Python cannot load a library with sanitizers")

import ooze  # noqa: E402

# Nozzle, moving solid, sink, and probes with memory.
SCENE = {
    "title": "for Python", "method": {"name": "ballistic"}, "spacing": 0.05, "time_step": "1/1000",
    "duration": 0.1, "frame_rate": 100,
    "materials": {"honey": {"density": 1400, "drag": 0.1}},
    "fluids": [{"material": "honey", "velocity": [0.4, -2, 0.1],
                "shape": {"type": "box", "size": [0.4, 0.4, 0.4], "position": [0, 0.7, 0]}}],
    "solids": [{"name": "floor", "shape": {"type": "plane"}, "friction": float("inf")},
               {"name": "paddle", "motion": {"spin": [0, 300, 0]},
                "shape": {"type": "box", "size": [0.5, 0.1, 0.1], "position": [0.1, 0.3, 0]}}],
    "emitters": [{"name": "nozzle", "material": "honey", "radius": 0.12, "speed": 2,
                  "position": [0.3, 0.9, 0]}],
    "probes": [{"name": "all", "kind": "centre"}, {"kind": "drift", "material": "honey"},
               {"kind": "energy", "every_step": True}, {"kind": "count"},
               {"kind": "azimuth", "point": [0, 0, 0], "contact": 3, "every_step": True}],
}


def empty_world(**values):
    """A world of particles that do not interact, without gravity."""
    world = ooze.World(**{"method": "ballistic", "spacing": 0.05, "time_step": 1 / 64,
                          "gravity": [0, 0, 0], "threads": 2, **values})
    world.add_material("honey", density=1000)
    return world


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.numpy = numpy
