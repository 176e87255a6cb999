"""Scenes that Ooze wrote itself, in run folders: every value is stated, and `ooze check` says no
more of them than of the scene that was run."""
import json
import unittest

import runs

SCENE = """\
ooze: 2
method: {name: %s}
spacing: 0.01
time_step: 1/240
duration: 0.1
frame_rate: 60
materials:
  red: {preset: ketchup}
  brown: {preset: chocolate}
  own: {density: 1100%s}
fluids:
  - {material: red, shape: {type: box, size: [0.05, 0.05, 0.05], position: [0, 0.03, 0]}}
solids:
  - {name: floor, shape: {type: plane}}
"""
METHODS = ("ballistic", "conformation", "constraint", "links", "springs", "stress", "blend",
           "cauchy", "wcsph")


class SavedSceneTest(runs.RunTest):
    def warnings(self, path):
        found = json.loads(self.good("check", path, "--json").stdout)
        return [d["message"] for d in found["diagnostics"]]

    def test_defaults_and_presets_cause_no_warning(self):
        scene = self.folder / "scene.yaml"
        for method in METHODS:
            with self.subTest(method=method):
                scene.write_text(SCENE % (method, ""))
                run = self.folder / method
                self.good("run", scene, "-o", run, "--frames", 0)
                self.assertLessEqual(set(self.warnings(run / "scene.yaml")),
                                     set(self.warnings(scene)))  # it has numbers, not presets
                said = self.good("run", run / "scene.yaml", "-o", self.folder / f"{method}_again",
                                 "--frames", 0, "--quiet").stderr
                self.assertNotIn("ignores", said)
                self.assertNotIn("does nothing", said)

    def test_other_numbers_without_effect_are_named_again(self):
        scene = self.folder / "scene.yaml"
        scene.write_text(SCENE % ("conformation", ", drag: 3, heat_capacity: 1234"))
        wanted = ["the method 'conformation' ignores 'drag'",
                  "'heat_capacity' does nothing: nothing in the scene has a temperature"]
        self.assertEqual(sorted(self.warnings(scene)), sorted(wanted))
        self.good("run", scene, "-o", self.folder / "run", "--frames", 0)
        self.assertEqual(sorted(self.warnings(self.folder / "run/scene.yaml")), sorted(wanted))
        # a default that is written down changes nothing
        scene.write_text(SCENE % ("conformation", ", drag: 0, heat_capacity: 4180"))
        self.assertEqual(self.warnings(scene), [])


if __name__ == "__main__":
    unittest.main()
