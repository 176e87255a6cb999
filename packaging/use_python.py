"""Uses the installed Python module: a world steps to the same bits as the command."""
import pathlib
import subprocess

import numpy

import ooze

scene = "/usr/share/ooze/scenes/templates/drop.yaml"
world = ooze.Scene(scene, set={"spacing": 0.006}).world()
before = numpy.array(world.position)
world.run(until=0.1)
assert len(before) > 100 and world.position.shape == before.shape
assert world.position[:, 1].mean() < before[:, 1].mean() - 0.005, "the ball does not fall"
subprocess.run(["ooze", "run", scene, "-o", "/tmp/same", "--set", "spacing=0.006", "--frames", "4",
                "-q"], check=True)
told = subprocess.run(["ooze", "info", "--hash", "/tmp/same"], check=True, capture_output=True,
                      text=True).stdout.strip()
assert world.hash() == told, (world.hash(), told)
maps = pathlib.Path("/proc/self/maps").read_text()
assert "/libooze.so.0" in maps, "the module does not use the library of libooze0"
print(f"{len(world.position)} particles, {told}, as the command computes it")
