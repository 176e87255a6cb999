#!/usr/bin/python3
"""Builds the wheel of the Python package without the network, and prints where it is.

    tools/python_wheel.py BUILD [FOLDER]   from the library and command of the build folder, into
                                           FOLDER; by default BUILD/python"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def build_wheel(build, folder):
    """Returns the path of the wheel; exits with the output of pip where it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("ooze-*.whl"):
        old.unlink()
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation",
                           "--no-index", "--no-deps", "--wheel-dir", folder, ROOT / "python"],
                          env={**os.environ, "OOZE_BUILD_DIR": str(build)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wheels = sorted(folder.glob("ooze-*.whl"))
    if done.returncode or not wheels:
        sys.exit(done.stdout)
    return wheels[0]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    place = pathlib.Path(sys.argv[1]).resolve()
    wheel = build_wheel(place, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else place / "python")
    print(f"{wheel}\ninstall it with: python3 -m pip install {wheel}")
