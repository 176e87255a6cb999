"""`ooze upgrade`: format 1 becomes format 2 with comments and layout as they were, the scene stays
the same, and where a file does not say what it means one sentence asks for it."""
import json
import shutil
import unittest

import h5py

import runs

OLD = """\
# A bottle. ünïcode counts in characters.
ooze: 1   # the format
title: "sin(30) in a title"
method: {name: ballistic}
spacing: 0.05
time_step: 1/100
duration: 0.1
materials:
  m: {density: 1000}
fluids:
  - {material: m, shape: {type: box, size: [0.1, 0.1, 0.1], position: [0, 1, 0]}}   # ü
solids:
  # the floor
  - shape: {type: plane}   # flat
  - name: bottle

    # its walls
    shape:
      type: box
      size: [0.1, 0.1,
             0.2]     # high
    # how it moves
    motion: {velocity: [0, 0.1, 0]}
  - &lid {name: lid, shape: {type: sphere, radius: 0.1, position: [2, 0, 0]}}
  - {name: slide, friction: 0.2, shape: {type: sphere, radius: 0.1, position: [4, 0, 0]}}
"""
NEW = OLD.replace("ooze: 1 ", "ooze: 2 ") \
         .replace("plane}   # flat\n", "plane}   # flat\n    friction: 0.5\n") \
         .replace("# high\n", "# high\n    friction: 0.5\n") \
         .replace("position: [2, 0, 0]}}", "position: [2, 0, 0]}, friction: 0.5}")
# what radians become, as text and as a number of degrees
ANGLES = """\
ooze: 1
method: {name: ballistic}
spacing: 0.05
time_step: 1/100
duration: 0.1
materials: {m: {}}
fluids:
  - material: m
    shape: {type: sphere, radius: 0.1}
    spin: [0, 30*deg, -2]
    velocity: [cos(60*deg), 0, 0]
emitters:
  - {material: m, radius: 0.1, position: [3, 0, 0], roll: pi/2, direction: [sin(pi/6), -1, 0]}
solids:
  - name: door
    shape: {type: sphere, radius: 0.1, position: [6, 0, 0]}
    friction: 1
    motion: {sine: {amplitude: [0, 1, 0], frequency: 1, phase: 1 + 90*deg}}
"""
DEGREES = ANGLES.replace("ooze: 1", "ooze: 2") \
    .replace("[0, 30*deg, -2]", "[0, 30, -2*180/pi]").replace("cos(60*deg)", "cos(60)") \
    .replace("roll: pi/2", "roll: (pi/2)*180/pi").replace("sin(pi/6)", "sin((pi/6)*180/pi)") \
    .replace("phase: 1 + 90*deg", "phase: (1 + 90*(pi/180))*180/pi")


class UpgradeTest(runs.RunTest):
    def setUp(self):
        super().setUp()
        self.old = self.folder / "old.yaml"
        self.old.write_text(OLD, encoding="utf-8")

    def upgrade(self, *arguments, code=0):
        done = runs.ooze("upgrade", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_edits_leave_the_rest_alone(self):
        done = self.upgrade(self.old)
        self.assertEqual(done.stdout, NEW)
        self.assertEqual(done.stderr, f"{self.old}: format 1 is now format 2; states the friction "
                         "of 3 solids, 0.5\n")
        self.assertEqual(self.old.read_text(encoding="utf-8"), OLD)

    def test_in_place_and_again(self):
        self.upgrade(self.old, "--in-place")
        self.assertEqual(self.old.read_text(encoding="utf-8"), NEW)
        done = self.upgrade(self.old, "--in-place")
        self.assertEqual(done.stderr, f"{self.old}: is in format 2 already\n")
        self.assertEqual(self.upgrade(self.old).stdout, NEW)

    def test_a_file_that_exists_is_kept(self):
        new = self.folder / "new.yaml"
        self.upgrade(self.old, "-o", new)
        self.assertEqual(new.read_text(encoding="utf-8"), NEW)
        self.assertIn("exists", self.upgrade(self.old, "-o", new, code=1).stderr)
        self.assertIn("exclude each other",
                      self.upgrade(self.old, "-o", new, "--in-place", code=2).stderr)

    def test_line_breaks_of_the_file(self):
        self.old.write_bytes(b"\xef\xbb\xbf" + OLD.replace("\n", "\r\n").encode())
        self.upgrade(self.old, "--in-place")
        self.assertEqual(self.old.read_bytes(),
                         b"\xef\xbb\xbf" + NEW.replace("\n", "\r\n").encode())

    def test_an_alias_is_edited_once(self):
        self.old.write_text(OLD + "  - *lid\n", encoding="utf-8")
        self.assertEqual(self.upgrade(self.old).stdout, NEW + "  - *lid\n")

    def test_radians(self):
        self.old.write_text(ANGLES)
        done = self.upgrade(self.old)  # `deg` shows that it is in radians
        self.assertEqual(done.stdout, DEGREES)
        self.assertIn("converts 6 numbers from radians to degrees", done.stderr)
        self.old.write_text(done.stdout)
        self.assertEqual(runs.ooze("check", self.old).returncode, 0)

    def test_blanks_before_parentheses(self):
        for old, new in [("cos (60*deg)", "cos(60)"), ("cos\t (pi/3)", "cos((pi/3)*180/pi)"),
                         ("2*acos ( 0.5 )/pi", "2*(acos( 0.5 )*pi/180)/pi"),
                         ("sin(\t30*deg\t)", "sin(30)")]:
            with self.subTest(old):
                self.old.write_text(ANGLES.replace("cos(60*deg)", old))
                self.assertEqual(self.upgrade(self.old).stdout,
                                 DEGREES.replace("cos(60)", new))
        # without `deg`, the unit is asked for
        self.old.write_text("ooze: 1\ngravity: [cos (1), 0, 0]\n")
        self.assertIn(":2:11: 'cos (1)' is an angle", self.upgrade(self.old, code=1).stderr)

    def test_order_in_time(self):
        line = "method: {name: ballistic}\n"
        for old, new in [
                ("method: {name: conformation}   # é\n",
                 "method: {name: conformation, time_integration: first_order}   # é\n"),
                ("method: {passes: 3, name: \"conformation\" }\n",
                 "method: {passes: 3, name: \"conformation\", time_integration: first_order }\n"),
                ("method:\n   name: conformation   # a fluid\n   passes: 3\n",
                 "method:\n   name: conformation   # a fluid\n   time_integration: first_order\n"
                 "   passes: 3\n")]:
            with self.subTest(old):
                self.old.write_text(OLD.replace(line, old), encoding="utf-8")
                done = self.upgrade(self.old)
                self.assertEqual(done.stdout, NEW.replace(line, new))
                self.assertIn("; states the friction of 3 solids, 0.5; states time_integration: "
                              "first_order\n", done.stderr)
                self.old.write_text(done.stdout, encoding="utf-8")
                self.assertEqual(runs.ooze("check", self.old).returncode, 0)
        for method in ("{name: conformation, time_integration: second_order}", "{passes: 3}",
                       "{name: links}", "conformation"):
            with self.subTest(method):
                self.old.write_text(f"ooze: 1\nmethod: {method}\n")
                done = self.upgrade(self.old)
                self.assertEqual(done.stdout, f"ooze: 2\nmethod: {method}\n")
                self.assertEqual(done.stderr, f"{self.old}: format 1 is now format 2\n")

    def test_json_stays_json(self):
        scene = {"ooze": 1, "method": {"name": "conformation"}, "spacing": 0.05,
                 "time_step": "1/100", "duration": 0.1, "materials": {"m": {}},
                 "fluids": [{"material": "m", "spin": [0, 0.5, "pi/2"],
                             "velocity": ["cos(pi/3)", 0, 0],
                             "shape": {"type": "sphere", "radius": 0.1}}],
                 "solids": [{"name": "floor", "shape": {"type": "plane",
                                                        "position": [0, -1, 0]}}]}
        self.old.write_text(json.dumps(scene, indent=1))
        new = json.loads(self.upgrade(self.old, "--angles", "radians").stdout)
        scene["ooze"] = 2
        scene["method"]["time_integration"] = "first_order"
        scene["solids"][0]["friction"] = 0.5
        scene["fluids"][0]["spin"] = [0, "0.5*180/pi", "(pi/2)*180/pi"]
        scene["fluids"][0]["velocity"] = ["cos((pi/3)*180/pi)", 0, 0]
        self.assertEqual(new, scene)
        self.old.write_text(json.dumps(new))
        self.assertEqual(runs.ooze("check", self.old).returncode, 0)

    def test_a_format_is_a_number(self):
        """1.0 is format 1, and a later format is one mistake, not one a key."""
        self.old.write_text(OLD.replace("ooze: 1 ", "ooze: 1.0 "), encoding="utf-8")
        done = runs.ooze("check", self.old)
        self.assertIn(f"{self.old}:2:7: error: this file is in format 1; this version", done.stderr)
        self.assertIn(f"ooze upgrade '{self.old}' --in-place", done.stderr)
        self.assertEqual(self.upgrade(self.old).stdout, NEW)
        self.old.write_text("ooze: 3\nvoxels: yes\nfuture: 1\n")
        done = runs.ooze("check", self.old)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn(f"{self.old}:1:7: error: this file is in format 3, of a newer version of "
                      "Ooze; this version reads format 2", done.stderr)
        self.assertIn("install a newer version of Ooze", done.stderr)
        self.assertIn("format 3 is of a newer version of Ooze",
                      self.upgrade(self.old, code=1).stderr)

    def test_included_files_are_reported(self):
        for include, report in [
                ("a.yaml", "upgrade the file that it includes too (add `ooze: 1` to it if it does "
                 "not say its format)"),
                ("[a.yaml, b.yaml]", "upgrade the 2 files that it includes too (add `ooze: 1` to "
                 "those that do not say their format)")]:
            with self.subTest(include):
                self.old.write_text(f"ooze: 1\ninclude: {include}\n")
                self.assertEqual(self.upgrade(self.old).stderr,
                                 f"{self.old}: format 1 is now format 2; {report}\n")
        self.old.write_text("ooze: 1\ninclude: a.yaml\nmethod: {name: conformation}\n")
        self.assertIn("; states time_integration: first_order, which overrides that of an included "
                      "file; upgrade", self.upgrade(self.old).stderr)

    def test_hinges(self):
        joints = "joints:\n  - {name: a, type: hinge, low: -1, high: 2, speed: 3}\n" \
                 "  - {name: b, type: slider, low: -1, high: 2, speed: 3}\n" \
                 "changes:\n  - {set: joints.a.high, to: 1}\n  - {set: joints.b.high, to: 1}\n"
        self.old.write_text("ooze: 1\n" + joints)
        converted = joints.replace("low: -1, high: 2, speed: 3", "low: -1*180/pi, high: 2*180/pi, "
                                   "speed: 3*180/pi", 1).replace("to: 1", "to: 1*180/pi", 1)
        self.assertEqual(self.upgrade(self.old, "--angles", "radians").stdout,
                         "ooze: 2\n" + converted)
        self.assertEqual(self.upgrade(self.old, "--angles", "degrees").stdout, "ooze: 2\n" + joints)

    def test_angles_are_asked_for(self):
        spin = OLD.replace("velocity: [0, 0.1, 0]", "spin: [0, 30, 0]")
        self.old.write_text(spin, encoding="utf-8")
        done = self.upgrade(self.old, code=1)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, f"ooze: error: {self.old}:23:24: '30' is an angle, which the "
                         "first scenes of format 1 gave in radians and later ones in degrees\n"
                         "  hint: say which with --angles radians or --angles degrees\n")
        kept = self.upgrade(self.old, "--angles", "degrees").stdout
        self.assertIn("spin: [0, 30, 0]", kept)
        self.assertIn("spin: [0, 30*180/pi, 0]",
                      self.upgrade(self.old, "--angles", "radians").stdout)
        self.assertIn("'turns'", self.upgrade(self.old, "--angles", "turns", code=2).stderr)

    def test_what_cannot_be_upgraded(self):
        for text, message in [("solids: []\n", "does not say its format"),
                              ("ooze: 3\n", ":1:7: format 3 is of a newer version"),
                              ("ooze: 0\n", ":1:7: there is no format '0'"),
                              ("ooze: [1\n", "not valid YAML"), ("", "the file is empty")]:
            with self.subTest(text):
                self.old.write_text(text)
                done = self.upgrade(self.old, "--in-place", code=1)
                self.assertIn(message, done.stderr)
                self.assertEqual(self.old.read_text(), text)
        self.assertIn("nowhere.yaml", self.upgrade("nowhere.yaml", code=1).stderr)

    def test_an_old_file_gets_one_sentence(self):
        run = self.folder / "run"
        for arguments in (["check", self.old], ["run", self.old, "-o", run], ["info", self.old],
                          ["view", self.old, "--no-browser"]):
            with self.subTest(arguments[0]):
                done = runs.ooze(*arguments, timeout=60)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
                self.assertIn("this file is in format 1; this version of Ooze reads format 2\n",
                              done.stderr)
                self.assertIn(f"ooze upgrade '{self.old}' --in-place", done.stderr)

    def test_an_included_old_file_is_named(self):
        part = self.folder / "part.yaml"
        part.write_text("ooze: 1\nsolids: [{shape: {type: plane}}]\n")
        self.old.write_text(NEW.replace("title", "include: part.yaml\ntitle"), encoding="utf-8")
        done = runs.ooze("check", self.old)
        self.assertIn(f"{part}:1:7: error: this file is in format 1", done.stderr)

    def test_runs_of_format_1_are_read(self):
        kept = runs.ROOT / "tests/fixtures/runs/conformation"
        run = self.folder / "kept"
        shutil.copytree(kept, run)
        self.assertTrue((run / "scene.yaml").read_text().startswith("ooze: 1\n"))
        self.assertIn("A run for tests", runs.ooze("info", run).stdout)
        done = runs.ooze("run", run, "--resume", "--frames", "3", "--quiet", "--device", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.orders(run), [None, 0])  # not given, then first order
        # the scene of the run, upgraded, resumes it as well
        scene = self.folder / "present.yaml"
        self.upgrade(run / "scene.yaml", "-o", scene, "--angles", "degrees")
        done = runs.ooze("run", scene, "-o", run, "--resume", "--frames", "4", "--quiet",
                         "--device", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.orders(run), [None, 0, 0])

    @staticmethod
    def orders(run):
        """time_integration of each frame; None: the frame does not have it."""
        found = []
        for path in runs.frame_files(run):
            with h5py.File(path) as frame:
                table = frame["state/method"]
                columns = table.attrs["columns"].decode().split()
                key = "time_integration"
                found.append(table[0, columns.index(key)] if key in columns else None)
        return found


if __name__ == "__main__":
    unittest.main()
