"""The Python lines of docs/python.md run, one block after the other, in a scratch folder."""
import os
import re
import unittest

from support import ROOT, PackageTest, ooze

HONEY = """\
ooze: 2
title: Honey
method: {name: conformation}
spacing: 0.01
time_step: 1/120
duration: 0.2
materials:
  honey: {density: 1400, viscosity: 20}
fluids:
  - {material: honey, shape: {type: sphere, radius: 0.04, position: [0, 0.05, 0]}}
solids:
  - {name: plate, shape: {type: plane}, friction: inf}
"""


class Docs(PackageTest):
    def test_blocks_of_the_page(self):
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text(),
                            re.M | re.S)
        self.assertGreater(len(blocks), 7)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        (self.folder / "honey.yaml").write_text(HONEY)
        names = {}
        for number, block in enumerate(blocks, 1):
            if "run.picture" in block and not ooze.features()["render"]:
                block = re.sub(r"(?m)^run\.picture.*$", "", block)
            exec(compile(block, f"docs/python.md, block {number}", "exec"), names)
        self.assertAlmostEqual(names["world"].time, 0.15, delta=0.011)  # stopped early
        self.assertIn("<svg", (self.folder / "height.svg").read_text())

    def test_errors_are_as_the_page_says(self):
        with self.assertRaises(ooze.ArgumentError) as caught:
            ooze.World(method="ballistic", spacing=0.1, time_step=0.1).add_solid(
                shape={"type": "shpere"})
        text = f"{caught.exception.message} - {caught.exception.hint}"
        self.assertIn(text, (ROOT / "docs/python.md").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
