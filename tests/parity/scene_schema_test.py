#!/usr/bin/env python3
"""The JSON Schema of scenes, judged by a validator that is not ours: it is valid draft 2020-12,
accepts every example, and refuses what the reader refuses."""
import copy
import glob
import json
import pathlib
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


class SceneSchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads((ROOT / "docs/scene.schema.json").read_text())
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def test_is_valid(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_accepts_every_example(self):
        paths = sorted(glob.glob(str(ROOT / "scenes/ballistic/*.yaml")))
        self.assertGreaterEqual(len(paths), 6)
        for path in paths:
            with self.subTest(path):
                scene = yaml.safe_load(pathlib.Path(path).read_text())
                self.assertEqual([e.message for e in self.validator.iter_errors(scene)], [])

    def test_accepts_the_page_s_example(self):
        page = (ROOT / "docs/scene-format.md").read_text()
        scene = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])
        self.assertEqual([e.message for e in self.validator.iter_errors(scene)], [])

    def test_refuses_mistakes(self):
        good = {"ooze": 2, "method": {"name": "ballistic"}, "spacing": 0.1, "time_step": "1/240",
                "duration": 1, "materials": {"m": {"density": 1000}},
                "solids": [{"shape": {"type": "sphere", "radius": 1}}],
                "emitters": [{"material": "m", "radius": 0.1}]}
        self.assertTrue(self.validator.is_valid(good))
        def spoil(path, value):
            bad = copy.deepcopy(good)
            at = bad
            for step in path[:-1]:
                at = at[step]
            if value is None:
                del at[path[-1]]
            else:
                at[path[-1]] = value
            return bad
        mistakes = [
            (["spacing"], None), (["spacing"], -1), (["spacing"], [1]), (["durration"], 1),
            (["ooze"], 1),
            (["up"], "w"), (["gravity"], [0, 1]), (["method", "name"], "magic"),
            (["materials", "m", "density"], 0), (["materials", "m", "densty"], 1),
            (["solids", 0, "shape", "radius"], None), (["solids", 0, "shape", "size"], [1, 1, 1]),
            (["solids", 0, "shape", "type"], "spere"), (["solids", 0, "friction"], -1),
            (["emitters", 0, "outline"], "star"), (["emitters", 0, "radius"], None),
            (["solids", 0, "color"], "red"),
        ]
        for path, value in mistakes:
            with self.subTest(path=path, value=value):
                self.assertFalse(self.validator.is_valid(spoil(path, value)))


if __name__ == "__main__":
    unittest.main()
