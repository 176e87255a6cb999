"""Shared by the fault tests: a small scene with most kinds of objects, and running `ooze` on it."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("OOZE_BUILD_DIR", ROOT / "build"))
OOZE = str(BUILD / "ooze")
FRAMES = 40

# A job in the background of a shell ignores these, and so would the commands that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# An emitter, a moving nozzle, a moving solid, a sink, two materials, and probes with memory.
SCENE = """\
ooze: 2
title: everything at once
method: {name: ballistic}
spacing: 0.05
time_step: 1/1000
duration: 0.4
frame_rate: 100
seed: 7
materials:
  honey: {density: 1400, drag: 0.1}
  water: {density: 1000, drag: 0.3}
fluids:
  - material: honey
    shape: {type: box, size: [0.4, 0.4, 0.4], position: [0, 0.7, 0]}
    fill: jittered
    jitter: 0.2
    velocity: [0.4, -2, 0.1]
solids:
  - name: floor
    shape: {type: plane}
    restitution: 0.5
    friction: 0.3
  - name: paddle
    shape: {type: box, size: [0.5, 0.1, 0.1], position: [0.1, 0.3, 0]}
    motion: {spin: [0, 300, 0], sine: {amplitude: [0, 0.1, 0], frequency: 3}}
emitters:
  - material: water
    radius: 0.12
    position: [0.3, 0.9, 0]
    speed: 2
    motion: {velocity: [-0.5, 0, 0]}
sinks:
  - shape: {type: box, size: [0.3, 0.1, 2], position: [0.2, 0.04, 0]}
probes:
  - {kind: count}
  - {kind: centre}
  - {kind: energy, every_step: true}
  - {kind: drift, material: honey}
  - {kind: components}
  - {kind: azimuth, point: [0, 0, 0], contact: 3, every_step: true}
  - {name: tall, kind: height, percentile: 99}
"""


def ooze(*arguments, **options):
    """Runs a command to its end."""
    options.setdefault("timeout", 300)
    return subprocess.run([OOZE, *map(str, arguments)], capture_output=True, text=True, **options)


def start(*arguments, **options):
    """Starts a command without waiting for it."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([OOZE, *map(str, arguments)], text=True, **options)


def frame_files(run):
    return sorted((pathlib.Path(run) / "frames").glob("frame_*.h5"))


def read_frame(path):
    """Reads a frame wholly through h5py; raises an error where it is damaged. Returns its step."""
    with h5py.File(path, "r") as file:
        count = file["particles/position"].shape[0]
        for name, data in file["particles"].items():
            values = data[...]
            if values.shape[0] != count or not numpy.isfinite(values.astype(float)).all():
                raise ValueError(f"{path}: field {name} is damaged")
        for data in file["state"].values():
            data[...]
        return int(file.attrs["step"])


class RunTest(unittest.TestCase):
    """A test with a scratch folder and a scene in it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-fault-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.scene = self.folder / "scene.yaml"
        self.scene.write_text(SCENE)

    def good(self, *arguments, **options):
        done = ooze(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def bad(self, code, part, *arguments, **options):
        """The command fails with this code and a message that contains `part`."""
        done = ooze(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(part, done.stderr)
        return done

    def hash_of(self, run):
        return self.good("info", run, "--hash").stdout.strip()

    def reference(self):
        """An uninterrupted run."""
        run = self.folder / "reference"
        self.good("run", self.scene, "-o", run, "--threads", 1, "--quiet")
        return run

    def check_equal(self, run, reference):
        """Bitwise the same result: every frame's state, and the probe tables byte for byte."""
        self.assertEqual(len(frame_files(run)), len(frame_files(reference)))
        for mine, theirs in zip(frame_files(run), frame_files(reference)):
            self.assertEqual(mine.name, theirs.name)
            self.assertEqual(mine.read_bytes(), theirs.read_bytes(), mine.name)
        for name in ("probes.csv", "probes_steps.csv", "scene.yaml", "run.xdmf"):
            self.assertEqual((run / name).read_bytes(), (reference / name).read_bytes(), name)
        self.assertFalse((run / "checkpoint.h5").exists())
