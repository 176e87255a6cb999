"""Valid scenes that are unlikely to be meant: one warning each. And joints in loops, which work."""
import json
import unittest

import runs

SCENE = """\
ooze: 2
method: {name: ballistic}
spacing: 0.02
time_step: 1/240
duration: 0.5
frame_rate: 24
materials: {water: {density: 1000}}
"""
SINK = SCENE + """\
fluids:
  - {name: drop, material: water, shape: {type: box, size: [0.2, 0.2, 0.2]}}
emitters:
  - {name: tap, material: water, radius: 0.05, speed: 1, position: [0, 1, 0]}
sinks:
  - {name: drain, shape: {type: box, size: [%g, 1, 1]}%s}
"""
BARS = SCENE + """\
solids:
  - {name: a, density: 500, shape: {type: box, size: [0.1, 0.02, 0.02], position: [0, 0.5, 0]}}
  - {name: b, density: 500, shape: {type: box, size: [0.1, 0.02, 0.02], position: [0.1, 0.5, 0]}}
  - {name: c, density: 500, shape: {type: box, size: [0.1, 0.02, 0.02], position: [0.05, 0.6, 0]}}
  - {name: floor, shape: {type: plane}}
probes:
  - {name: of_a, kind: solid, solid: a}
  - {name: of_b, kind: solid, solid: b}
  - {name: of_c, kind: solid, solid: c}
joints:
"""
LOOP = """\
  - {type: hinge, solid: a, other: b, anchor: [0.05, 0.5, 0], axis: [0, 0, 1]}
  - {type: hinge, solid: b, other: c, anchor: [0.1, 0.55, 0], axis: [0, 0, 1]}
  - {type: hinge, solid: c, other: a, anchor: [0, 0.55, 0], axis: [0, 0, 1]}
"""


class SceneTrapsTest(runs.RunTest):
    def setUp(self):
        super().setUp()
        self.scene = self.folder / "scene.yaml"

    def warnings(self, text, *settings):
        self.scene.write_text(text)
        found = json.loads(self.good("check", self.scene, "--json", *settings).stdout)
        return [d["message"] for d in found["diagnostics"]]

    def test_sink_around_all_fluid(self):
        holds = "sink 'drain' holds all of fluid 'drop', and removes it in the first step"
        self.assertEqual(self.warnings(SINK % (1, "")), [holds])
        self.good("run", self.scene, "-o", self.folder / "all", "--frames", 1)
        left = json.loads(self.good("info", self.folder / "all", "--json").stdout)["particles"]
        self.assertLess(left, 1000)  # of the nozzle alone: the drop had 1000
        self.assertEqual(self.warnings(SINK % (0.1, "")), [])  # it holds a part
        self.assertEqual(self.warnings(SINK % (1, ", start: 0.1")), [])
        self.assertEqual(self.warnings(SINK % (1, ""), "--set", "emitters.tap.position=[0, 0.3, 0]",
                                       "--set", "sinks.drain.start=0"),
                         [holds, "sink 'drain' holds emitter 'tap', and removes what it emits"])

    def test_long_duration(self):
        warning, = self.warnings(SINK % (0.1, ""), "--set", "duration=1e9")
        self.assertEqual(warning, "1e+09 s of simulated time are 2.4e+10 frames and 2.4e+11 steps: "
                                  "2.78e+03 days at a millisecond a step")
        self.assertEqual(self.warnings(SINK % (0.1, ""), "--set", "duration=1e5"), [])
        # the largest numbers that a scene takes
        most = ("--set", "duration=1e9", "--set", "frame_rate=1e6", "--set", "time_step=1e-9",
                "--set", "emitters.tap.speed=1e4", "--set", "emitters.tap.radius=0.4",
                "--set", "spacing=0.01")
        found = json.loads(self.good("check", self.scene, "--json", *most).stdout)
        self.assertEqual((found["frames"], found["steps"]), (10 ** 15, 10 ** 18))
        self.assertGreater(found["particles_at_end"], 4e18)
        self.assertIn("1,000,000,000,000,000,000 of 1e-09 s",
                      self.good("run", self.scene, "--dry-run", *most).stdout)

    def test_semicolons_between_keys(self):
        self.scene.write_text(SCENE.replace("{density: 1000}", "{density: 1000; viscosity: 1}"))
        said = runs.ooze("check", self.scene)
        self.assertEqual(said.returncode, 1)
        self.assertIn("separate keys and values by ',', not by ';'", said.stderr)

    def test_joints_in_a_loop_hold(self):
        self.assertEqual(self.warnings(BARS + LOOP), [])
        self.good("run", self.scene, "-o", self.folder / "loop", "--threads", 1)
        heading, *rows = (self.folder / "loop/probes.csv").read_text().strip().split("\n")
        names = [name.split(" [")[0] for name in heading.split(",")]
        self.assertEqual(len(rows), 13)
        for row in rows:
            at = dict(zip(names, map(float, row.split(","))))
            self.assertAlmostEqual(at["of_b.x"] - at["of_a.x"], 0.1, delta=1e-6)
            self.assertAlmostEqual(at["of_c.y"] - at["of_a.y"], 0.1, delta=1e-6)
        self.assertAlmostEqual(at["of_a.y"], 0.01, delta=1e-4)  # it lies on the floor

    def test_joints_that_contradict(self):
        self.scene.write_text(BARS + "  - {type: ball, solid: a, other: a}\n")
        self.bad(1, "joint 'joint0' joins solid 'a' to itself", "check", self.scene)
        pair = "joints 'joint0' and 'joint1' join the same solids, and "
        fixed = pair + "one of them is fixed: the other has no effect"
        hinge = "  - {type: hinge, solid: a, other: b, axis: [0, 0, 1]%s}\n"
        weld = "  - {type: fixed, solid: b, other: a}\n"
        self.assertEqual(self.warnings(BARS + hinge % "" + weld), [fixed])
        motor = ", speed: 90, force: 1"
        self.assertEqual(self.warnings(BARS + 2 * (hinge % motor)),
                         [pair + "the motors of both drive them: they may work against each other"])
        self.assertEqual(self.warnings(BARS + hinge % motor + hinge % ""), [])  # a door

    def test_a_ring_without_freedom(self):
        """Rings of joints whose freedoms are independent: none of them can move."""
        ring = "joints %s form a ring that leaves them no freedom: none of them moves"
        crossed = LOOP.replace("[0.1, 0.55, 0], axis: [0, 0, 1]",
                               "[0.1, 0.55, 0.03], axis: [1, 0, 0]") \
                      .replace("[0, 0.55, 0], axis: [0, 0, 1]", "[0, 0.55, 0], axis: [0, 1, 0]")
        found, = self.warnings(BARS + crossed)
        self.assertRegex(found, ring % "'joint[01]', 'joint[01]' and 'joint2'")
        welded = LOOP.replace("hinge, solid: b, other: c, anchor: [0.1, 0.55, 0], axis: [0, 0, 1]",
                              "fixed, solid: b, other: c")
        self.assertRegex(self.warnings(BARS + welded)[0], "leaves them no freedom")
        door = "  - {type: hinge, solid: a, other: b, anchor: [0, 0.5, 0], axis: [0, 0, 1]}\n"
        self.assertEqual(self.warnings(BARS + door + door.replace("[0, 0, 1]", "[1, 0, 0]")),
                         [ring % "'joint0' and 'joint1'"])
        # a ball joint beside a hinge turns about its axis or, off it, not at all
        ball = "  - {type: ball, solid: a, other: b, anchor: [%s, 0.5, 0.1]}\n"
        self.assertEqual(self.warnings(BARS + door + ball % 0), [])
        self.assertEqual(self.warnings(BARS + door + ball % 0.1), [ring % "'joint0' and 'joint1'"])
        balls = LOOP.replace("hinge", "ball").replace(", axis: [0, 0, 1]", "")
        self.assertEqual(self.warnings(BARS + balls), [])
        # a bar between two solids that hang from the world: four hinges with parallel axes swing
        four = LOOP[:LOOP.index("\n  - {type: hinge, solid: c") + 1] + \
            "  - {type: hinge, solid: a, anchor: [0, 0.4, 0], axis: [0, 0, 1]}\n" \
            "  - {type: hinge, solid: c, anchor: [0.1, 0.7, 0], axis: [0, 0, 1]}\n"
        self.assertEqual(self.warnings(BARS + four), [])


if __name__ == "__main__":
    unittest.main()
