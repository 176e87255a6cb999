"""`ooze presets`: lists, one with its sources, JSON that agrees, a block that a scene takes; the
drop test with each; the page."""
import importlib.util
import json
import pathlib
import re
import unittest

import runs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEAD = "ooze: 2\nmethod: {name: conformation}\nspacing: 0.01\ntime_step: 1/240\nduration: 1\n"


class PresetsTest(runs.RunTest):
    def table(self, *words):
        return json.loads(self.good("presets", *words, "--json").stdout)

    def test_list_contains_each_preset_once(self):
        said = self.good("presets").stdout
        for preset in self.table():
            self.assertEqual(len(re.findall(rf"(?m)^{preset['name']} "
                                            rf"+{re.escape(preset['summary'])} ", said)), 1,
                             preset["name"])
        self.assertRegex(said,
                         r"(?m)^ketchup .* 1140 kg/m3, yields at 32 Pa, then 18\.7 rate\^0\.27 Pa$")

    def test_a_preset_is_printed_with_numbers_and_sources(self):
        self.assertEqual([preset["name"] for preset in self.table("lava")], ["lava"])
        for preset in self.table():
            said = self.good("presets", preset["name"]).stdout
            for number in preset["numbers"]:
                self.assertIn(number["origin"], ("measured", "typical", "artistic"))
                self.assertRegex(said,
                                 rf"(?m)^  {number['key']} "
                                 rf"+{re.escape(str(number['value']))} ?\S* ")
                self.assertIn(number["source"], said)

    def test_pasted_block_is_the_preset(self):
        def dry(text, *words):
            path = self.folder / "scene.yaml"
            path.write_text(HEAD + text
                            + "fluids: [{material: x, shape: {type: box, size: [0.05, 0.05, "
                            "0.05]}}]\n")
            run = self.folder / f"run{len(list(self.folder.glob('run*')))}"
            self.good("run", path, "-o", run, "--frames", "0", *words)
            return (run / "scene.yaml").read_text()
        for preset in self.table():
            name = preset["name"]
            block = self.good("presets", name).stdout
            block = block[block.index("materials:\n"):].replace(f"  {name}:", "  x:", 1)
            kept = dry(f"materials: {{x: {{preset: {name}}}}}\n")
            self.assertEqual(dry(block), kept)
            self.assertNotIn("preset", kept)
        self.assertEqual(dry("materials: {x: {preset: oil}}\n", "--set",
                             f"materials.x.preset={name}"), kept)

    def test_drop_scene_with_each(self):
        for preset in self.table():
            said = self.good("check", ROOT / "scenes/presets/drop.yaml", "--set",
                             f"materials.sample.preset={preset['name']}")
            self.assertIn("no errors, 0 warnings", said.stdout + said.stderr, preset["name"])

    def test_page_is_up_to_date(self):
        spec = importlib.util.spec_from_file_location("material_pages",
                                                      ROOT / "tools/material_pages.py")
        pages = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(pages)
        table = self.table()
        self.assertEqual(pages.page(table), pages.PAGE.read_text(),
                         "run tools/material_pages.py --page")
        shown = re.findall(r"\]\((images/materials/\w+_drop\.png)\)", pages.PAGE.read_text())
        self.assertEqual(len(shown), len(table))
        for name in shown:
            self.assertLessEqual((pages.PAGE.parent / name).stat().st_size, pages.BYTES_MAX)


if __name__ == "__main__":
    unittest.main()
