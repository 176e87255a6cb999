"""The wheel works in a fresh environment, without the source tree and without the network."""
import importlib.util
import os
import subprocess
import sys
import unittest
import zipfile

from support import BUILD, ROOT, PackageTest, skip_all

for name in ("pip", "setuptools", "wheel", "venv"):
    if importlib.util.find_spec(name) is None:
        skip_all(f"there is no Python module {name} (package python3-{name})")

PROGRAM = """
import ooze
world = ooze.World(method="ballistic", spacing=0.1, time_step=0.01, gravity=[0, -10, 0])
world.add_material("honey")
world.add_particles("honey", [[0, 5, 0]])
world.step(10)
assert abs(world.position[0, 1] - 4.95) < 1e-5
print(ooze.__file__)
print(ooze.c._support.library._name)
print(ooze.command("version").split()[1])
"""


class Wheel(PackageTest):
    def test_a_fresh_environment(self):
        clean = {key: value for key, value in os.environ.items()
                 if not key.startswith(("OOZE", "PYTHON"))}

        def run(*command):
            done = subprocess.run(list(map(str, command)), cwd=self.folder, env=clean, text=True,
                                  capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout
        wheel = run(sys.executable, ROOT / "tools/python_wheel.py", BUILD,
                    self.folder).split("\n")[0]
        self.assertRegex(wheel, r"ooze-[\d.]+-py3-none-linux_\w+\.whl$")
        with zipfile.ZipFile(wheel) as file:
            self.assertLessEqual({"ooze/lib/libooze.so", "ooze/lib/ooze", "ooze/py.typed",
                                  "ooze/c/world_functions.py"}, set(file.namelist()))
        place = self.folder / "environment"
        # the pip of the system installs into it: making one of its own takes seconds
        run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", place)
        python = place / "bin/python"
        run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", wheel)
        module, library, version = run(python, "-c", PROGRAM).split()
        self.assertTrue(module.startswith(str(place)), module)
        self.assertTrue(library.startswith(str(place)), library)
        self.assertEqual(run(place / "bin/ooze", "version").split()[1], version)


if __name__ == "__main__":
    unittest.main(verbosity=2)
