"""`ooze rheo --fit`: a block that a scene takes, JSON that agrees with it, and one clear line for
every slip."""
import json
import unittest

import runs

SCENE = """\
ooze: 2
method: {name: conformation}
spacing: 0.05
time_step: 1/240
duration: 0.1
%s
fluids:
  - material: measured
    shape: {type: box, size: [0.4, 0.4, 0.4]}
"""


def rows(formula, low, high, count=30):
    points = [low * (high / low) ** (i / (count - 1)) for i in range(count)]
    return "".join(",".join(f"{v:.7g}" for v in (x, *formula(x))) + "\n" for x in points)


def modes(*spectrum):
    def formula(w):
        return (sum(g * (w * t) ** 2 / (1 + (w * t) ** 2) for g, t in spectrum),
                sum(g * w * t / (1 + (w * t) ** 2) for g, t in spectrum))
    return "omega [rad/s],G' [Pa],G'' [Pa]\n" + rows(formula, 0.01, 1000)


class RheoTest(runs.RunTest):
    def write(self, text):
        path = self.folder / "data.csv"
        path.write_text(text)
        return path

    def checked(self, text):
        """What is said of the data; its block must pass as part of a scene."""
        said = self.good("rheo", "--fit", self.write(text)).stdout
        scene = self.folder / "pasted.yaml"
        scene.write_text(SCENE % said[said.index("materials:"):])
        self.good("check", scene)
        return said

    def test_one_mode_goes_into_a_scene(self):
        said = self.checked(modes((800, 0.5)))
        self.assertIn("1 Maxwell mode,", said)
        self.assertIn("    modulus: 800\n    relaxation_time: 0.5\n", said)
        self.assertNotIn("best single one", said)

    def test_two_modes_are_found(self):
        said = self.checked(modes((200, 2), (1500, 0.02)))
        self.assertIn("2 Maxwell modes,", said)
        self.assertIn("    modulus: 1500\n    relaxation_time: 0.02\n    modulus_2: 200\n    "
                      "relaxation_time_2: 2\n", said)
        self.assertRegex(said,
                         r"(?s)the best single one.*modulus .* is .* rad/s, where its G'+ is .* "
                         r"too (low|high)\.")

    def test_flow_goes_into_a_scene(self):
        said = self.checked("rate [1/s],viscosity [mPa s]\n"
                            + rows(lambda r: (9000 * (1 + r * r) ** -0.3,), 0.01, 100))
        self.assertIn("    viscosity: 9\n    thinning_exponent: 0.4\n    thinning_rate: 1\n    "
                      "thinning: carreau\n", said)
        said = self.checked("rate,viscosity\n" + rows(lambda r: (5 * r ** -0.7,), 0.01, 100))
        self.assertIn("thinning: power_law", said)

    def test_a_paste_goes_into_a_scene(self):
        said = self.checked("rate [1/s],stress [Pa]\n"
                            + rows(lambda r: (32 + 6.5 * r ** 0.43,), 0.01, 100))
        self.assertIn("Herschel and Bulkley's law", said)
        self.assertIn("Stress is 32 Pa + 6.5 rate^0.43.", said)
        self.assertIn("    solvent_viscosity: 6.5\n    thinning_exponent: 0.43\n    yield_strain: "
                      "0.1\n    modulus: 320\n"
                      "    thinning_rate: 1\n    thinning: power_law\n", said)

    def test_json_and_figures(self):
        data = self.write(modes((200, 2), (1500, 0.02)))
        told = json.loads(self.good("rheo", "--fit", data, "--json", "-o",
                                    self.folder / "out").stdout)
        self.assertEqual((told["experiment"], told["points"], len(told["fit"]["modes"])),
                         ("oscillation", 30, 2))
        self.assertAlmostEqual(told["fit"]["modes"][0]["modulus"]["value"], 1500, delta=15)
        self.assertEqual(told["material"]["modulus_2"], told["fit"]["modes"][1]["modulus"]["value"])
        self.assertEqual(len(told["single"]["modes"]), 1)
        for name in ("fit.svg", "fit.png", "fit.pdf"):
            self.assertGreater((self.folder / "out" / name).stat().st_size, 1000)

    def test_mistakes_give_one_error_line(self):
        self.bad(2, "say what to measure", "rheo")
        data = self.write("rate,viscosity\n1,2\n2,-2\n5,1\n10,1\n")
        done = self.bad(1, "data.csv', line 3: viscosity is -2; it must lie above 0", "rheo",
                        "--fit", data)
        self.assertIn("hint: leave out", done.stderr)
        beyond = self.write("rate,viscosity\n1,1e20\n2,1e20\n5,1e20\n10,1e20\n")
        self.bad(1, "viscosity of the fitted material", "rheo", "--fit", beyond)


# Forgets within a few steps: all of its experiments are short.
SHORT = """\
ooze: 2
method: {name: conformation}
spacing: 0.01
time_step: 1/240
duration: 0.1
materials:
  thin: {viscosity: 0.001}
  gel: {modulus: 20000, relaxation_time: 0.01}
  warm:
    viscosity: 100
    relaxation_time: 0.01
    temperature_table:
      - {temperature: 0, viscosity: 400}
      - {temperature: 40, viscosity: 100}
fluids:
  - material: gel
    shape: {type: box, size: [0.1, 0.1, 0.1]}
"""


class MeasureTest(runs.RunTest):
    """`ooze rheo SCENE|PRESET`."""

    def setUp(self):
        super().setUp()
        self.scene.write_text(SHORT)

    def test_table_and_verdict(self):
        said = self.good("rheo", self.scene, "--material", "gel").stdout
        self.assertIn("gel: method conformation, spacing 0.01 m, time step 0.004167 s\n", said)
        for word in ("steady shear\n", "steady shear between plates", "small oscillation",
                     "after a step strain",
                     "under constant stress", "uniaxial stretch", "over theory, 1 is exact",
                     "converged"):
            self.assertIn(word, said)
        self.assertNotRegex(said, r"\b(nan|inf)\b|-0\.0 ?%")

    def test_json_and_figures(self):
        out = self.folder / "out"
        done = self.good("rheo", self.scene, "--material", "gel", "--json", "--quick", "-o", out)
        self.assertRegex(done.stderr, r"(?m)^measurement \d+/\d+, ETA ")
        told = json.loads(done.stdout)
        self.assertEqual((told["material"], told["method"], told["spacing"]),
                         ("gel", "conformation", 0.01))
        self.assertEqual(told["over_theory"], [])
        self.assertNotIn("converged", told)
        flow = next(e for e in told["experiments"] if e["experiment"] == "flow")
        slow = flow["points"][0]
        self.assertEqual(set(slow), {"rate", "what", "theory", "stress", "momentum"})
        self.assertEqual(slow["what"], "viscosity")
        self.assertAlmostEqual(slow["theory"], 200, delta=2)      # modulus times relaxation time
        # a step is 0.4 of the relaxation time
        self.assertAlmostEqual(slow["stress"], 200, delta=20)
        for name in ("rheometer.svg", "rheometer.png", "rheometer.pdf", "relaxation.svg",
                     "relaxation.png", "relaxation.pdf"):
            self.assertGreater((out / name).stat().st_size, 1000)

    def test_numbers_are_those_of_scenes(self):
        """A step of 1/240 s is that of the scene: both are the same fraction."""
        def told(*options):
            return self.good("rheo", self.scene, "--material", "gel", "--json", "--quick",
                             *options).stdout
        first = json.loads(told())
        self.assertEqual(json.loads(told("--time-step", "1/240", "--spacing", "2*0.005",
                                         "--threads", "3 - 1")), first)
        self.bad(2, "option --time-step needs a number, not '1/0'", "rheo", self.scene,
                 "--time-step", "1/0")

    def test_temperature_option_sets_the_viscosity(self):
        def theory(*options):
            told = self.good("rheo", self.scene, "--material", "warm", "--json", "--quick",
                             *options).stdout
            return json.loads(told)["experiments"][0]["points"][0]["theory"]
        # 20 degC, half way in equal ratios
        self.assertAlmostEqual(theory(), 200, delta=0.1)
        self.assertAlmostEqual(theory("--temperature", 40), 100, delta=0.1)

    def test_mistakes_give_one_error_line(self):
        self.assertIn("did you mean 'honey'?",
                      self.bad(1, "no preset 'hony'", "rheo", "hony").stderr)
        self.bad(1, "cannot open", "rheo", self.folder / "none.yaml")
        self.bad(1, "no material 'jam'", "rheo", self.scene, "--material", "jam")
        self.bad(2, "say what to measure", "rheo", "honey", "--fit", self.scene)
        self.bad(2, "of a scene, not of a preset", "rheo", "honey", "--material", "gel")
        self.bad(2, "--quick leaves out", "rheo", "honey", "--quick", "--grid")
        self.bad(2, "--spacing", "rheo", "honey", "--spacing", "0")
        self.bad(1, "no method 'porridge'", "rheo", "honey", "--quick", "--method", "porridge")
        self.scene.write_text(SHORT.replace("modulus:", "modulos:"))
        self.assertIn("did you mean 'modulus'?",
                      self.bad(1, "unknown key 'modulos'", "rheo", self.scene).stderr)


if __name__ == "__main__":
    unittest.main()
