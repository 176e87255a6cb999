"""Runs with a missing or damaged frame, and runs whose scene was edited."""
import json
import re
import shutil
import unittest

import runs


class FramesTest(runs.RunTest):
    FRAMES = 12

    def make_run(self, name="run"):
        run = self.folder / name
        self.good("run", self.scene, "-o", run, "--frames", self.FRAMES, "--threads", 1, "--quiet")
        return run

    def frame(self, run, number):
        return run / f"frames/frame_{number:06d}.h5"

    def damage(self, run, number):
        data = bytearray(self.frame(run, number).read_bytes())
        data[len(data) // 2] ^= 0x40
        self.frame(run, number).write_bytes(data)

    def spoilt_run(self):
        """Frames 0, 3, 6 and 7 are missing, 5 is damaged."""
        run = self.make_run()
        for number in (0, 3, 6, 7):
            self.frame(run, number).unlink()
        self.damage(run, 5)
        return run

    def test_info_lists_frames(self):
        run = self.make_run()
        facts = json.loads(self.good("info", run, "--json").stdout)
        self.assertEqual((facts["present"], facts["missing"], facts["damaged"], facts["verified"]),
                         (["0:12"], [], [], True))
        shutil.rmtree(run)
        done = self.bad(1, "5 frames are missing or damaged", "info", self.spoilt_run(), "--json")
        self.assertIn("--from-frame", done.stderr)
        facts = json.loads(done.stdout)
        self.assertEqual(facts["present"], ["1:2", "4", "8:12"])
        self.assertEqual(facts["missing"], ["0", "3", "6:7"])
        self.assertEqual(facts["damaged"], ["5"])

    def test_info_finds_exchanged_and_cut_frames(self):
        run = self.make_run()
        shutil.copy(self.frame(run, 2), self.frame(run, 4))
        self.frame(run, 7).write_bytes(self.frame(run, 7).read_bytes()[:-10])
        done = self.bad(1, "2 frames", "info", run, "--json")
        self.assertEqual(json.loads(done.stdout)["damaged"], ["4", "7"])

    def test_commands_name_missing_frames(self):
        run = self.spoilt_run()
        commands = {"export": ("export", run, "--format", "csv"),
                    "mesh": ("mesh", run, "--cell", 1)}
        if re.search(r"render\s+yes", self.good("version").stdout):
            commands["render"] = ("render", run, "--preview", "--size", "8x8")
        for name, command in commands.items():
            with self.subTest(name):
                done = self.bad(1, "frame 5 is left out", *command)
                for number in (0, 3, 6, 7):
                    self.assertIn(f"frame {number} is missing", done.stderr)
                self.assertIn("5 frames", done.stderr)
                self.assertIn("--from-frame", done.stderr)
                # a range without the gaps is complete
                self.good(*command, "--frames", "8:12")
                # of a stride, only the frames that it names count
                done = self.bad(1, "frame 6 is missing", *command, "--frames", "4:12:2")
                self.assertNotIn("frame 7", done.stderr)
                self.assertIn("1 frame", done.stderr)

    def test_a_stray_number_does_not_take_forever(self):
        run = self.make_run()
        shutil.copy(self.frame(run, 2), run / "frames/frame_900000000000000000.h5")
        self.bad(1, "frame 13 is missing", "export", run, "--format", "csv", timeout=60)

    def test_from_frame_makes_missing_frames(self):
        reference = self.make_run("reference")
        run = self.spoilt_run()
        before = {n: self.frame(run, n).stat().st_mtime_ns for n in (4, 8, 12)}
        done = self.good("run", "--resume", run, "--frames", 12, "--quiet")
        self.assertIn("4 frames are missing", done.stderr)
        self.assertNotIn("has all frames", done.stderr)
        done = self.bad(1, "cannot continue from frame 5", "run", "--resume", run, "--from-frame",
                        5, "--frames", 12)
        self.assertIn("ooze info", done.stderr)
        self.bad(1, "frame 3", "run", "--resume", run, "--from-frame", 3, "--frames", 12)
        self.bad(2, "--from-frame needs --resume", "run", self.scene, "-o", self.folder / "other",
                 "--from-frame", 3)
        # frame 0 cannot be made from a later one
        done = self.good("run", "--resume", run, "--from-frame", 2, "--frames", 12, "--quiet")
        self.assertIn("1 frame is missing", done.stderr)
        self.assertEqual(before, {n: self.frame(run, n).stat().st_mtime_ns for n in before})
        shutil.copy(self.frame(reference, 0), self.frame(run, 0))
        self.good("run", "--resume", run, "--from-frame", 0, "--frames", 12, "--quiet")
        self.check_equal(run, reference)

    def test_from_frame_of_an_unfinished_run(self):
        """After the missing frames the run goes on to its end."""
        run = self.make_run()
        self.frame(run, 4).unlink()
        self.good("run", "--resume", run, "--from-frame", 2, "--quiet")
        self.check_equal(run, self.reference())

    def test_edited_scene(self):
        run = self.make_run()
        scene = run / "scene.yaml"
        original = scene.read_text()
        scene.write_text(original + "# a comment changes nothing\n")
        self.good("run", "--resume", run, "--frames", 13, "--quiet")
        scene.write_text(original.replace("duration: 0.4", "duration: 0.41"))
        self.assertNotEqual(scene.read_text(), original)
        frames = runs.frame_files(run)
        done = self.bad(1, "was edited after the run began", "run", "--resume", run)
        self.assertIn("-duration: 0.4", done.stderr)
        self.assertIn(".scene.yaml", done.stderr)
        self.assertEqual(runs.frame_files(run), frames)
        shutil.copy(run / ".scene.yaml", scene)
        self.good("run", "--resume", run, "--quiet")
        self.check_equal(run, self.reference())


if __name__ == "__main__":
    unittest.main(verbosity=2)
