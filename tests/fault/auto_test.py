"""`time_step: auto`: the choice is reported, kept in the run folder, and resumed bit for bit; `ooze
check` as JSON."""
import json
import re
import unittest

import runs

SCENE = """\
ooze: 2
method: {name: conformation}
time_step: auto
spacing: 0.02
duration: 0.2
frame_rate: 20
materials:
  syrup: {viscosity: 20, relaxation_time: 0.05}
fluids:
  - name: block
    material: syrup
    shape: {type: box, size: [0.1, 0.16, 0.1], position: [0, 0.08, 0]}
solids:
  - {name: floor, shape: {type: plane}}
"""
# A block of wax; last the keys of the floor and of the scene that cool or heat it.
WAX = """\
ooze: 2
method: {name: conformation}
time_step: auto
spacing: 0.01
duration: 1
frame_rate: 24
materials:
  wax:
    temperature_table:
      - {temperature: 20, viscosity: %s}
      - {temperature: 50, viscosity: 10}
      - {temperature: 80, viscosity: %s}
fluids:
  - name: block
    material: wax
    temperature: %g
    shape: {type: box, size: [0.1, 0.2, 0.1], position: [0, 0.1, 0]}
solids:
  - {name: floor, shape: {type: plane}, friction: inf%s}
%s"""


class AutoTest(runs.RunTest):
    def setUp(self):
        super().setUp()
        self.scene = self.folder / "auto.yaml"
        self.scene.write_text(SCENE)

    def test_chosen_values_are_printed_and_saved(self):
        said = self.good("run", self.scene, "-o", self.folder / "a").stderr
        words = re.search(r"chosen: time_step: (1/\d+), velocity_iterations: (\d+), passes: (\d), "
                          r"density_iterations: (\d+)", said)
        self.assertTrue(words, said)
        kept = (self.folder / "a/scene.yaml").read_text()
        self.assertIn(f"  velocity_iterations: {words[2]}\n", kept)
        self.assertNotRegex(kept, r"(?m)^time_step: auto")
        self.assertIn("chosen: ", (self.folder / "a/log.txt").read_text())
        checked = self.good("check", self.scene).stdout
        self.assertIn(f"chosen        time_step: {words[1]}, velocity_iterations: {words[2]}",
                      checked)

    def test_resumed_bit_by_bit(self):
        self.good("run", self.scene, "-o", self.folder / "whole")
        self.good("run", self.scene, "-o", self.folder / "parts", "--frames", "2")
        self.good("run", "--resume", self.folder / "parts", "--frames", "3")
        self.good("run", self.scene, "-o", self.folder / "parts", "--resume")
        whole, parts = (self.good("info", self.folder / name, "--hash").stdout
                        for name in ("whole", "parts"))
        self.assertEqual(whole, parts)

    def test_given_values_win_and_override(self):
        given = json.loads(self.good("check", self.scene, "--json",
                                     "--set", "method.passes=1").stdout)["settings"]
        self.assertEqual(given["passes"], 1)
        self.assertNotIn("passes", given["chosen"])
        step = json.loads(self.good("check", self.scene, "--json",
                                    "--set", "time_step=1/100").stdout)["settings"]
        self.assertEqual((step["time_step"], step["chosen"]), (0.01, None))
        self.scene.write_text(SCENE.replace("conformation", "conformation, velocity_iterations: 7")
                              .replace("time_step: auto", "time_step: 1/40"))
        plain = json.loads(self.good("check", self.scene, "--json").stdout)
        self.assertEqual((plain["settings"]["velocity_iterations"], plain["settings"]["chosen"]),
                         (7, None))
        chosen = json.loads(self.good("check", self.scene, "--json", "--set",
                                      "method.velocity_iterations=auto",
                                      "--set", "time_step=auto").stdout)["settings"]
        self.assertRegex(chosen["chosen"], r"^time_step: 1/\d+, velocity_iterations: \d+, "
                         r"passes: 2, density_iterations: \d+$")
        self.bad(1, "'hourglass' must be a number", "check", self.scene,
                 "--set", "method.hourglass=auto")

    def test_json_has_the_numbers(self):
        said = json.loads(self.good("check", self.scene, "--json").stdout)
        syrup, = said["materials"]
        self.assertAlmostEqual(syrup["reynolds"], syrup["speed"] * syrup["length"] * 1000 / 20)
        self.assertAlmostEqual(syrup["deborah"], 0.05 / 0.2)
        self.assertIsNone(syrup["bond"])
        self.assertEqual(said["advised"]["time_step"], said["settings"]["time_step"])

    def settings(self, *values):
        self.scene.write_text(WAX % values)
        said = json.loads(self.good("check", self.scene, "--json").stdout)
        wax, = said["materials"]
        return said["settings"], (wax["temperature"], wax["temperature_max"])

    def test_every_temperature_is_covered(self):
        """The thin wax needs the shorter step, and nothing else decides: whatever brings the block
        there, the step is that of a block that begins there."""
        for thick, thin, hot, cold in (("1000", "0.1", 80, 20), ("0.1", "1000", 20, 80)):
            short, there = self.settings(thick, thin, hot, "", "")
            long, _ = self.settings(thick, thin, cold, "", "")
            self.assertEqual(there, (hot, hot))
            self.assertLess(2 * short["time_step"], long["time_step"])
            change = "changes: [{time: 0.5, set: %s, to: %g}]\n"
            ways = ((f", temperature: {hot}", ""),
                    ("", f"air: {{temperature: {hot}, transfer: 9}}"),
                    (f", temperature: {cold}", change % ("solids.floor.temperature", hot)),
                    ("", change % ("air.temperature", hot)),
                    ("", "heat_sources: [{shape: {type: sphere, radius: 1}, power: %g}]"
                     % (1e5 * (hot - cold))),
                    ("", "heat_sources: [{shape: {type: sphere, radius: 1}, temperature: %g}]"
                     % hot))
            for floor, rest in ways:
                with self.subTest(hot=hot, floor=floor, rest=rest):
                    found, temperatures = self.settings(thick, thin, cold, floor, rest)
                    self.assertEqual(temperatures, (20, 80))
                    self.assertEqual(found["time_step"], short["time_step"])
                    # with that step the stiffest wax has the iterations that it needs
                    given = self.good("check", self.scene, "--json", "--set",
                                      f"fluids.block.temperature={cold}", "--set",
                                      f"time_step={short['time_step']!r}").stdout
                    given = json.loads(given)["settings"]
                    for key in ("velocity_iterations", "passes", "density_iterations"):
                        self.assertGreaterEqual(found[key], given[key])

    def test_rows_between_count(self):
        """Wax that is thin in the middle of its range alone."""
        steps = []
        for start, floor in ((20, ", temperature: 80"), (50, ""), (20, "")):
            self.scene.write_text((WAX % ("1000", "1000", start, floor, ""))
                                  .replace("viscosity: 10}", "viscosity: 0.1}"))
            said = json.loads(self.good("check", self.scene, "--json").stdout)
            steps.append(said["settings"]["time_step"])
        whole, middle, cold = steps
        self.assertEqual(whole, middle)
        self.assertLess(whole, cold)


if __name__ == "__main__":
    unittest.main()
