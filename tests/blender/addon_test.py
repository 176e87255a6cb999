"""The Blender add-on in a headless Blender: installs its zip, then runs the cases of *_cases.py in
it. Ends with 77, which CTest reports as skipped, where there is no Blender."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OOZE = pathlib.Path(os.environ["OOZE_BUILD_DIR"]).resolve() / "ooze"

# y is up, as by default; two materials, heat, and a solid that moves and turns
SCENE = """
ooze: 2
method: {name: ballistic}
spacing: 0.02
time_step: 1/120
duration: 0.25
frame_rate: 24
materials:
  honey: {preset: honey}
  red: {density: 1000, color: [0.8, 0.05, 0.04], look: {type: jelly, depth: 0.05}}
fluids:
  - {material: honey, temperature: 60, velocity: [0.5, 0, 0.25],
     shape: {type: box, size: [0.1, 0.12, 0.08], position: [0, 0.5, 0]}}
  - {material: red, temperature: 20, shape: {type: sphere, radius: 0.05, position: [0.3, 0.4, 0.1]}}
emitters:
  - {material: honey, radius: 0.03, position: [-0.2, 0.4, 0], speed: 1, temperature: 40}
solids:
  - {name: floor, shape: {type: plane}, look: ceramic}
  - name: bewegter Löffel
    shape: {type: box, size: [0.3, 0.02, 0.02], position: [0, 0.2, 0]}
    motion: {spin: [0, 0, 90], velocity: [0.2, 0, 0]}
air: {temperature: 20}
"""


def ooze(*arguments):
    subprocess.run([OOZE, *map(str, arguments)], check=True, capture_output=True)


def make_run(folder):
    (folder / "scene.yaml").write_text(SCENE, encoding="utf-8")
    ooze("run", folder / "scene.yaml", "-o", folder / "run", "--threads", 1, "--frames", 4)


def write_expected(folder):
    """What HDF5 says of each frame, for Blender's Python, which may lack h5py."""
    for path in sorted((folder / "run/frames").glob("*.h5")):
        with h5py.File(path) as file:
            numpy.savez(folder / f"{path.stem}.npz", pose=file["solids/pose"][...],
                        **{name: file[f"particles/{name}"][...]
                           for name in ("position", "velocity", "id", "material", "temperature")})


def looks_of_source():
    """The table of looks in src/solids/look.c, in the form of the add-on's."""
    text = (ROOT / "src/solids/look.c").read_text()
    rows = re.findall(r'\{"(\w+)", OOZE_LOOK_(\w+), (true|false), \{([^}]*)\},([^"]*)"', text)
    table = {}
    for name, kind, own, color, numbers in rows:
        color = [float(c.rstrip("f ")) for c in color.split(",")] if own == "true" else None
        table[name] = [kind.lower(), color, *(float(n) for n in numbers.split(",") if n.strip())]
    del table["auto"]
    return table


def blender(folder, script):
    """Runs a script in Blender with settings of its own; its exit code."""
    # Debian's Blender uses the library of the python3 that PATH finds first: the one that runs this
    environment = {**os.environ, "OOZE": str(OOZE), "OOZE_TEST_FOLDER": str(folder),
                   "PATH": os.pathsep.join([os.path.dirname(sys.executable),
                                            os.environ.get("PATH", os.defpath)]),
                   "BLENDER_USER_SCRIPTS": str(folder / "scripts"),
                   "BLENDER_USER_CONFIG": str(folder / "config")}
    for name in ("scripts/addons", "config"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    done = subprocess.run([shutil.which("blender"), "-b", "--factory-startup", "-noaudio",
                           "--python-exit-code", "1", "-P", script], env=environment, check=False)
    return done.returncode


def main():
    if not shutil.which("blender"):
        print("skipped: there is no Blender (package blender)")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-blender-"))
    try:
        subprocess.run([sys.executable, ROOT / "tools/blender_zip.py", folder / "ooze.zip"],
                       check=True)
        make_run(folder)
        write_expected(folder)
        (folder / "looks.json").write_text(json.dumps(looks_of_source()))
        return blender(folder, HERE / "in_blender.py")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


sys.exit(main())
