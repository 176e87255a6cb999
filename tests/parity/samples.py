"""Sample files for the tests that read them with other programs' readers: a run with every type of
field and its exports, made by the export test, beside what h5py reads of the frames."""

import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

FRAMES = 4


class Samples:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="ooze_parity_")
        program = os.path.join(os.environ["OOZE_BUILD_DIR"], "tests", "unit_export")
        subprocess.run([program, self.folder], check=True)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def frame_path(self, number):
        return self.path("run", "frames", f"frame_{number:06d}.h5")

    def export_path(self, kind, number):
        return self.path(kind, f"frame_{number:06d}.{kind}")

    def fields(self, number):
        """Fields of a frame by name, in order, each with rows and columns."""
        with h5py.File(self.frame_path(number), "r") as file:
            return {name: numpy.array(data).reshape(len(data), -1 if len(data) else columns(data))
                    for name, data in file["particles"].items()}


def columns(data):
    return data.shape[1] if data.ndim == 2 else 1


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def check_equal(got, expected, what):
    got, expected = numpy.asarray(got), numpy.asarray(expected)
    check(got.shape == expected.shape, f"{what}: shape {got.shape}, expected {expected.shape}")
    check(numpy.array_equal(got, expected), f"{what}: values differ")
