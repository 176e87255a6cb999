"""Large solids of every shape start at once: they have boundary particles near fluid only."""
import resource
import subprocess
import unittest

import runs

SCENE = """\
ooze: 2
method: {name: links}
spacing: 0.05
time_step: 1/240
duration: 1/60
frame_rate: 60
materials:
  syrup: {viscosity: 10}
"""
PUDDLE = """\
fluids:
  - {material: syrup, shape: {type: box, size: [0.5, 0.3, 0.5], position: %s}}
"""
# Solids and a puddle near them; sampled completely, each takes half a minute or more.
LARGE = {
    "sheet": ("[0.5, 1, 0]", "{type: box, size: [0.01185, 95.195, 90.68], rotation: [20, 30, 10]}"),
    "planet": ("[0, 50.2, 0]", "{type: sphere, radius: 50}"),
    "moon": ("[0, 1740.2, 0]", "{type: sphere, radius: 1740}"),
    "hall": ("[0, -299.8, 0]", "{type: capsule, radius: 100, height: 400, inverted: true}"),
    "ring": ("[0, 0.92, 6]", "{type: torus, radius: 5, tube_radius: 1.5, scale: [3, 0.5, 1.2]}"),
    "house": ("[3, 10.2, 0]", "{type: compound, parts: [{type: box, size: [40, 20, 40]}, "
              "{type: cylinder, radius: 15, height: 20, position: [20, 0, 0]}]}"),
    "land": ("[0, 2.2, 0]", "{type: heightfield, file: land.asc, size: [60, 0, 60]}"),
}


class LargeSolids(runs.RunTest):
    def start(self, text):
        (self.folder / "scene.yaml").write_text(text)
        done = subprocess.run(
            [runs.OOZE, "run", "scene.yaml", "-o", "out", "--device", "cpu"],
            cwd=self.folder, capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (8, 8)))
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        subprocess.run(["rm", "-r", "out"], cwd=self.folder, check=True)

    def test_large_solids_start_within_seconds(self):
        heights = "\n".join(" ".join("%d" % (i * j % 3) for i in range(61)) for j in range(61))
        (self.folder / "land.asc").write_text(
            "ncols 61\nnrows 61\nxllcorner 0\nyllcorner 0\ncellsize 1\n" + heights + "\n")
        for name, (place, shape) in LARGE.items():
            with self.subTest(name):
                self.start(SCENE + PUDDLE % place
                           + "solids:\n  - {name: %s, shape: %s}\n" % (name, shape))

    def test_large_solids_without_fluid_start_at_once(self):
        solids = "".join("  - {name: %s, shape: %s}\n" % (name, shape)
                         for name, (_, shape) in LARGE.items() if name != "land")
        self.start(SCENE + "solids:\n" + solids)


if __name__ == "__main__":
    unittest.main()
