"""Interrupting and resuming: the same bits, or an error with its reason."""
import csv
import re
import shutil
import signal
import subprocess
import time
import unittest

import runs


def apply_diff(old, diff):
    """The lines that a unified diff makes of `old`; raises where it does not fit exactly."""
    new, at = [], 0
    for line in diff:
        head = re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", line)
        if head:
            begin, count = int(head[1]), int(head[2])
            begin -= count > 0
            new += old[at:begin]
            at = begin
        elif line[:1] in (" ", "-"):
            if old[at] != line[1:]:
                raise ValueError(f"line {at + 1} is '{old[at]}', not '{line[1:]}'")
            at += 1
        if line[:1] in (" ", "+"):
            new.append(line[1:])
    return new + old[at:]


class ResumeTest(runs.RunTest):
    def wait_for_frame(self, run, number):
        deadline = time.monotonic() + 60
        while not (run / "frames" / f"frame_{number:06d}.h5").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)

    def interrupt(self, run, number, *signals):
        """A run that gets these signals when frame `number` is written."""
        process = runs.start("run", self.scene, "-o", run, "--quiet", "--threads", 2)
        self.wait_for_frame(run, number)
        for one in signals:
            process.send_signal(one)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn(f"ooze run --resume {run}", said)
        self.assertTrue((run / "checkpoint.h5").exists())
        self.assertLess(len(runs.frame_files(run)), runs.FRAMES + 1)
        for file in [*runs.frame_files(run), run / "checkpoint.h5"]:
            runs.read_frame(file)

    def test_signals_then_resume(self):
        reference = self.reference()
        cases = {"int": (signal.SIGINT,), "term": (signal.SIGTERM,), "hup": (signal.SIGHUP,),
                 "twice": (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGINT)}
        for name, signals in cases.items():
            with self.subTest(name):
                run = self.folder / name
                self.interrupt(run, 5, *signals)
                self.good("run", "--resume", run, "--quiet")
                self.check_equal(run, reference)

    def test_ignored_hangup_stays_ignored(self):
        """nohup works: a run that starts with SIGHUP ignored keeps ignoring it."""
        run = self.folder / "run"
        process = subprocess.Popen(["nohup", runs.OOZE, "run", str(self.scene), "-o", str(run),
                                    "--quiet"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for_frame(run, 3)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(len(runs.frame_files(run)), runs.FRAMES + 1)

    def test_closed_terminal(self):
        """A closed stderr does not end the run."""
        run = self.folder / "run"
        process = runs.start("run", self.scene, "-o", run, stdout=subprocess.DEVNULL)
        process.stderr.close()
        self.assertEqual(process.wait(60), 0)
        self.check_equal(run, self.reference())

    def test_scene_emits_removes_and_counts_turns(self):
        """The scene of these tests: particles are emitted and removed, and a probe counts turns."""
        run = self.reference()
        with open(run / "probes_steps.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in rows], list(range(401)))
        counts = [int(row["particles"]) for row in rows]
        changes = [b - a for a, b in zip(counts, counts[1:])]
        self.assertGreater(max(changes), 0)
        self.assertLess(min(changes), 0)
        turns = {row["azimuth.turns [turns]"] for row in rows}
        self.assertGreater(len(turns), 20)
        with open(run / "probes.csv", newline="") as file:
            frames = list(csv.DictReader(file))
        self.assertEqual([int(row["frame"]) for row in frames], list(range(runs.FRAMES + 1)))
        # A probe of every step is in both tables and reads the same there.
        for row in frames:
            for name in ("particles", "energy.kinetic [J]", "azimuth.turns [turns]"):
                self.assertEqual(row[name], rows[int(row["step"])][name])

    def test_results_do_not_depend_on_threads(self):
        reference = self.reference()
        for threads in (2, 3):
            run = self.folder / f"threads{threads}"
            self.good("run", self.scene, "-o", run, "--threads", threads, "--quiet")
            self.assertEqual(self.hash_of(run), self.hash_of(reference))
            self.check_equal(run, reference)

    def test_cut_short_and_extended(self):
        """--frames is not part of the scene: run some, resume to the end, go beyond it."""
        reference = self.reference()
        run = self.folder / "run"
        self.good("run", self.scene, "-o", run, "--frames", 7, "--quiet")
        self.assertEqual(len(runs.frame_files(run)), 8)
        self.good("run", self.scene, "-o", run, "--resume", "--quiet")
        self.check_equal(run, reference)
        self.good("run", "--resume", run, "--frames", runs.FRAMES + 3, "--quiet")
        self.assertEqual(len(runs.frame_files(run)), runs.FRAMES + 4)

    def test_finished_run(self):
        run = self.reference()
        before = {file: file.stat().st_mtime_ns for file in run.rglob("*.*")
                  if file.name not in ("log.txt", "run.xdmf")}
        done = self.good("run", "--resume", run)
        self.assertIn("is finished", done.stderr)
        self.assertEqual({file: file.stat().st_mtime_ns for file in before}, before)

    def kill_at_first_checkpoint(self, scene, run):
        process = runs.start("run", scene, "-o", run, "--checkpoint-every", 0.005, "--quiet")
        deadline = time.monotonic() + 60
        while not (run / "checkpoint.h5").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)
        process.kill()
        process.communicate()

    def test_checkpoint_within_a_frame(self):
        """A kill in the middle of a long frame loses only what came after the last checkpoint."""
        scene = self.folder / "long.yaml"
        scene.write_text(runs.SCENE.replace("frame_rate: 100", "frame_rate: 5"))
        reference = self.folder / "a"
        self.good("run", scene, "-o", reference, "--quiet")
        for attempt in range(5):  # a loaded machine may kill it too late, after the frame
            run = self.folder / f"b{attempt}"
            self.kill_at_first_checkpoint(scene, run)
            if len(runs.frame_files(run)) == 1:
                break
        step = runs.read_frame(run / "checkpoint.h5")
        self.assertNotEqual(step % 200, 0)
        done = self.good("run", "--resume", run)
        self.assertIn(f"resuming at step {step}", done.stderr)
        self.check_equal(run, reference)

    def test_other_steps_per_frame_are_refused(self):
        """0.00208333 s at 24 frames a second: earlier versions took 21 steps a frame."""
        scene = runs.SCENE.replace("frame_rate: 100", "frame_rate: 24")
        for name, step in (("frame", "1/504"), ("checkpoint", "1/504"), ("same", "1/480")):
            with self.subTest(name):
                self.scene.write_text(scene.replace("time_step: 1/1000", f"time_step: {step}"))
                run = self.folder / name
                self.good("run", self.scene, "-o", run, "--frames", 2, "--quiet")
                for path in (run / "scene.yaml", run / ".scene.yaml"):
                    old = path.read_text()
                    new = re.sub(r"(?m)^time_step: .*$", "time_step: 0.00208333", old)
                    self.assertNotEqual(old, new)
                    path.write_text(new)
                if name == "same":
                    self.good("run", "--resume", run, "--frames", 3, "--quiet")
                    continue
                if name == "checkpoint":
                    runs.frame_files(run)[2].unlink()
                    runs.frame_files(run)[1].rename(run / "checkpoint.h5")
                before = self.hash_of(run)
                message = "the run has 21 steps a frame, and this version of Ooze would continue " \
                          "it with 20\n"
                self.bad(1, message, "run", "--resume", run, "--frames", 3)
                self.assertEqual(self.hash_of(run), before)
                if name == "frame":
                    runs.frame_files(run)[1].unlink()
                    self.bad(1, message, "run", "--resume", run, "--from-frame", 0)
                    self.assertEqual(len(runs.frame_files(run)), 2)

    def test_changed_scene_is_refused(self):
        run = self.reference()
        before = self.hash_of(run)
        self.scene.write_text(runs.SCENE.replace("drag: 0.1", "drag: 0.2"))
        done = self.bad(1, "the scene is not the one of the run", "run", self.scene, "-o", run,
                        "--resume")
        lines = done.stderr.splitlines()
        self.assertTrue(any(line.startswith("-") and "0.1" in line for line in lines), done.stderr)
        self.assertTrue(any(line.startswith("+") and "0.2" in line for line in lines), done.stderr)
        self.assertTrue(any(line.startswith("@@ -") for line in lines), done.stderr)
        self.assertEqual(sum(line[:1] in "+-" for line in lines if line[:3] not in ("+++", "---")),
                         2)
        self.assertEqual(self.hash_of(run), before)
        # The same change through --set, and undone through --set.
        self.scene.write_text(runs.SCENE)
        self.bad(1, "+", "run", self.scene, "-o", run, "--resume", "--set",
                 "materials.honey.drag=0.2")
        self.scene.write_text(runs.SCENE.replace("drag: 0.1", "drag: 0.2"))
        self.good("run", self.scene, "-o", run, "--resume", "--set", "materials.honey.drag=0.1")
        # Comments and layout are not the scene.
        self.scene.write_text("# a comment\n" + runs.SCENE.replace("{density: 1400, drag: 0.1}",
                                                                   "{drag: 1/10, density: 1.4e3}"))
        self.good("run", self.scene, "-o", run, "--resume")

    def test_every_method_resumes(self):
        listed = self.good("methods").stdout.splitlines()
        methods = [line for line in listed if line and " " not in line]
        self.assertIn("conformation", methods)
        for method in methods:
            with self.subTest(method):
                self.scene.write_text(runs.SCENE.replace("name: ballistic", f"name: {method}"))
                whole, parts = self.folder / f"{method}_whole", self.folder / f"{method}_parts"
                self.good("run", self.scene, "-o", whole, "--frames", 6, "--quiet")
                self.good("run", self.scene, "-o", parts, "--frames", 3, "--quiet")
                self.good("run", "--resume", parts, "--frames", 6, "--quiet")
                self.check_equal(parts, whole)

    def test_run_of_an_earlier_version(self):
        """Runs that are kept in the repository, and one whose scene lacks a key that came later."""
        for kept in sorted(path for path in (runs.ROOT / "tests/fixtures/runs").iterdir()
                           if path.is_dir()):
            with self.subTest(kept.name):
                run = self.folder / kept.name
                shutil.copytree(kept, run)
                self.assertIn("resuming at step 10",
                              self.good("run", "--resume", run, "--frames", 4).stderr)
                self.assertEqual([path.name for path in runs.frame_files(run)],
                                 [f"frame_{number:06d}.h5" for number in (2, 3, 4)])
        run = self.reference()
        lines = (run / "scene.yaml").read_text().splitlines(keepends=True)
        earlier = [line for line in lines
                   if not line.strip().startswith(("heat_capacity:", "stick_strength:"))]
        self.assertLess(len(earlier), len(lines))
        (run / "scene.yaml").write_text("".join(earlier))
        self.good("run", self.scene, "-o", run, "--resume")
        self.scene.write_text(runs.SCENE.replace("drag: 0.1", "drag: 0.1, heat_capacity: 10"))
        self.bad(1, "the scene is not the one of the run", "run", self.scene, "-o", run, "--resume")

    def test_mesh_of_the_scene(self):
        """A mesh with a path relative to the scene is found from any folder, and a changed one is
        refused."""
        mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        (self.folder / "corner.obj").write_text(mesh)
        self.scene.write_text(runs.SCENE.replace("solids:\n",
                                                 "solids:\n  - shape: {type: mesh, file: "
                                                 "corner.obj, "
                                                 "scale: 0.3, position: [0.2, 0, 0]}\n"))
        reference = self.reference()
        run = self.folder / "run"
        self.good("run", self.scene.name, "-o", run.name, "--frames", 9, "--quiet", cwd=self.folder)
        self.good("run", "--resume", run, "--frames", 15, "--quiet", cwd="/")
        (self.folder / "corner.obj").write_text(mesh.replace("v 0 0 1", "v 0 0 2"))
        self.bad(1, "changed", "run", "--resume", run)
        self.bad(1, "the scene is not the one of the run", "run", self.scene, "-o", run, "--resume")
        (self.folder / "corner.obj").write_text(mesh)
        self.good("run", self.scene, "-o", run, "--resume", "--quiet")
        self.check_equal(run, reference)

    def test_diff_is_exact(self):
        """Changes at several places: applied to the old scene, the diff gives the new one."""
        run = self.reference()
        changed = runs.SCENE.replace("seed: 7", "seed: 8").replace("  - {kind: components}\n", "")
        changed = changed.replace("title: everything", "title: nearly everything")
        changed += "  - {kind: momentum}\n"
        self.scene.write_text(changed)
        done = self.bad(1, "@@ -", "run", self.scene, "-o", run, "--resume")
        self.good("run", self.scene, "-o", self.folder / "other", "--frames", 0, "--quiet")
        diff = done.stderr.splitlines()
        diff = diff[next(i for i, line in enumerate(diff) if line.startswith("@@ ")):]
        old, new = ((folder / "scene.yaml").read_text().splitlines()
                    for folder in (run, self.folder / "other"))
        self.assertEqual(apply_diff(old, diff), new)

    def damage(self, path, how):
        data = bytearray(path.read_bytes())
        if how == "cut":
            data = data[:len(data) // 2]
        elif how == "empty":
            data = b""
        else:
            data[len(data) * 3 // 4] ^= 1
        path.write_bytes(data)

    def test_damaged_last_frame_is_passed_over(self):
        reference = self.reference()
        for how in ("cut", "empty", "flip"):
            with self.subTest(how):
                run = self.folder / how
                self.good("run", self.scene, "-o", run, "--frames", 9, "--quiet")
                self.damage(run / "frames/frame_000009.h5", how)
                done = self.good("run", "--resume", run)
                self.assertIn("passed over 1 damaged file", done.stderr)
                self.assertIn("resuming at step 80", done.stderr)
                self.check_equal(run, reference)

    def test_all_frames_damaged(self):
        run = self.folder / "run"
        self.good("run", self.scene, "-o", run, "--frames", 2, "--quiet")
        for file in runs.frame_files(run):
            self.damage(file, "cut")
        self.bad(1, "no frame that can be read", "run", "--resume", run)

    def test_lost_probe_rows_are_reported(self):
        run = self.folder / "run"
        self.good("run", self.scene, "-o", run, "--frames", 9, "--quiet")
        (run / "probes.csv").unlink()
        self.assertIn("lacks rows", self.good("run", "--resume", run, "--frames", 12).stderr)
        self.assertEqual(len((run / "probes.csv").read_text().splitlines()), 4)

    def test_two_runs_in_one_folder(self):
        run = self.folder / "run"
        first = runs.start("run", self.scene, "-o", run, "--quiet", "--frames", 100000)
        self.wait_for_frame(run, 1)
        first.send_signal(signal.SIGSTOP)
        try:
            self.bad(1, "another ooze", "run", "--resume", run)
            self.bad(1, "holds a run already", "run", self.scene, "-o", run)
            runs.read_frame(run / "frames/frame_000001.h5")
            self.good("info", run)
        finally:
            first.send_signal(signal.SIGCONT)
            first.send_signal(signal.SIGINT)
        _, said = first.communicate(timeout=60)
        self.assertEqual(first.returncode, 130, said)
        self.good("run", "--resume", run, "--quiet")

    def test_new_run_never_overwrites(self):
        run = self.reference()
        before = self.hash_of(run)
        self.bad(1, "holds a run already", "run", self.scene, "-o", run)
        self.assertEqual(self.hash_of(run), before)
        empty = self.folder / "empty"
        empty.mkdir()
        self.bad(1, "holds no run to resume", "run", "--resume", empty)


if __name__ == "__main__":
    unittest.main(verbosity=2)
