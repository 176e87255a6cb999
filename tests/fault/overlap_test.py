"""Output by threads beside the steps: in order, no more than two states behind, and a failure that
stops the run."""
import csv
import re
import signal
import time
import unittest

import runs

MESHED = 12  # frames of a run that is meshed


class OverlapTest(runs.RunTest):
    def logged(self, run):
        """Frames that the log names, in its order."""
        return [int(n) for n in re.findall(r"(?m)Z frame (\d+): ", (run / "log.txt").read_text())]

    def rows(self, run, name):
        with open(run / name, newline="") as file:
            return [int(row["step"]) for row in csv.DictReader(file)]

    def wait_for_frame(self, run, number):
        deadline = time.monotonic() + 60
        while not (run / "frames" / f"frame_{number:06d}.h5").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)

    def test_output_is_in_order(self):
        run = self.reference()
        self.assertEqual(self.logged(run), list(range(runs.FRAMES + 1)))
        self.assertEqual(self.rows(run, "probes.csv"), list(range(0, 401, 10)))
        self.assertEqual(self.rows(run, "probes_steps.csv"), list(range(401)))
        listed = re.findall(r'Grid Name="frame (\d+)"', (run / "run.xdmf").read_text())
        self.assertEqual([int(n) for n in listed], list(range(runs.FRAMES + 1)))

    def test_many_rows_before_a_frame(self):
        """Rows that exceed their buffer are written before the frame, once each, in order."""
        probes = "".join(f"  - {{name: e{i}, kind: energy, every_step: true}}\n" for i in range(20))
        self.scene.write_text(runs.SCENE.replace("frame_rate: 100", "frame_rate: 5") + probes)
        run = self.reference()
        self.assertGreater((run / "probes_steps.csv").stat().st_size, 4 << 16)
        self.assertEqual(self.rows(run, "probes_steps.csv"), list(range(401)))

    def test_profile_shows_the_cost(self):
        done = self.good("run", self.scene, "-o", self.folder / "run", "--profile")
        self.assertRegex(done.stderr, r"(?m)^  output +[\d.]+ +[\d.]+$")
        told = re.search(r"output: copying ([\d.]+) s, waiting ([\d.]+) s\n  beside the steps: "
                         r"writing ([\d.]+) s "
                         r"\([\d.]+%\); the copies take [\d.]+ \wi?B", done.stderr)
        self.assertTrue(told, done.stderr)
        self.assertGreater(float(told[3]), 0)

    def test_kill_finds_rows_before_states(self):
        for number in (2, 9, 17):
            run = self.folder / f"run{number}"
            process = runs.start("run", self.scene, "-o", run, "--quiet", "--checkpoint-every",
                                 0.001)
            self.wait_for_frame(run, number)
            process.kill()
            process.communicate()
            steps = [runs.read_frame(file) for file in runs.frame_files(run)]
            self.assertEqual(steps, list(range(0, 10 * len(steps), 10)))
            if (run / "checkpoint.h5").exists():
                steps.append(runs.read_frame(run / "checkpoint.h5"))
            self.assertGreaterEqual(self.rows(run, "probes_steps.csv")[-1], max(steps))
            self.assertGreaterEqual(self.rows(run, "probes.csv")[-1], max(steps) // 10 * 10)
            # A frame that the log names is on the disk.
            self.assertLess(self.logged(run)[-1], len(runs.frame_files(run)))

    def test_interrupt_writes_queued_output(self):
        run = self.folder / "run"
        process = runs.start("run", self.scene, "-o", run, "--quiet", "--frames", 100000)
        self.wait_for_frame(run, 5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        stopped = int(re.search(r"interrupted by SIGINT at step (\d+)", said)[1])
        self.assertEqual(runs.read_frame(run / "checkpoint.h5"), stopped)
        count = len(runs.frame_files(run))
        self.assertEqual(count, stopped // 10 + 1)
        self.assertEqual(self.logged(run), list(range(count)))
        self.assertEqual(self.rows(run, "probes_steps.csv"), list(range(stopped + 1)))
        self.assertEqual((run / "run.xdmf").read_text().count("<Grid Name=\"frame "), count)
        self.assertEqual(list(run.rglob("*.part")), [])

    def test_failure_stops_the_run_at_once(self):
        """The first error is reported, nothing after it is written, and the run can be resumed."""
        reference = self.reference()
        run, fitting = self.folder / "run", 6
        self.good("run", self.scene, "-o", run, "--frames", 3, "--quiet")
        # a folder where a file is to be written
        hurdle = run / "frames" / f"frame_{fitting:06d}.h5.part"
        hurdle.mkdir()
        done = runs.ooze("run", "--resume", run, "--frames", 100000, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("ooze: error: "), 1, done.stderr)
        self.assertRegex(done.stderr, rf"cannot write '.*frame_{fitting:06d}\.h5': Is a directory")
        self.assertEqual(len(runs.frame_files(run)), fitting)
        self.assertEqual(self.logged(run), list(range(fitting)))
        self.assertEqual((run / "run.xdmf").read_text().count("<Grid Name=\"frame "), fitting)
        hurdle.rmdir()
        self.good("run", "--resume", run, "--quiet")
        self.check_equal(run, reference)

    # ---- meshing beside the steps
    # ------------------------------------------------------------------

    def meshes(self, run):
        return {path.name: path.read_bytes() for path in (run / "surface").iterdir()}

    def meshed_afterwards(self, *options):
        """The meshes that `ooze mesh` makes of the same run."""
        run = self.folder / "afterwards"
        self.good("run", self.scene, "-o", run, "--frames", MESHED, "--quiet")
        self.good("mesh", run, "--quiet", *options)
        return run

    def test_meshes_equal_those_of_ooze_mesh(self):
        for name in ("ply", "usda"):
            self.scene.write_text(runs.SCENE + "surface: {cell: 0.6, mesh_smoothing: 2}\n")
            wanted = self.meshes(self.meshed_afterwards("--format", name))
            run = self.folder / name
            done = self.good("run", self.scene, "-o", run, "--frames", MESHED, "--mesh-format",
                             name, "--profile")
            self.assertIn(f"{MESHED + 1} meshes in {run}/surface\n", done.stderr)
            self.assertRegex(done.stderr, r", meshing [\d.]+ s \([\d.]+%\); the copies")
            self.assertEqual(self.meshes(run), wanted)
            self.assertIn(f"{MESHED + 1} of them made before",
                          self.good("mesh", run, "--format", name).stdout)
            runs.shutil.rmtree(self.folder / "afterwards")

    def test_missing_meshes_are_made_after_a_kill(self):
        reference = self.meshed_afterwards()
        run = self.folder / "run"
        for number in (1, 4, 6):
            process = runs.start("run", self.scene, "-o", run, "--resume", "--frames", MESHED,
                                 "--mesh", "--quiet")
            self.wait_for_frame(run, number)
            process.kill()
            process.communicate()
        # Some frames without meshing, then a finished run: missing meshes are made at its end.
        self.good("run", "--resume", run, "--frames", MESHED, "--quiet")
        done = self.good("run", "--resume", run, "--frames", MESHED, "--mesh")
        self.assertIn("is finished", done.stderr)
        self.check_equal(run, reference)
        self.assertEqual(self.meshes(run), self.meshes(reference))

    def test_interrupted_meshing(self):
        reference = self.meshed_afterwards()
        run = self.folder / "run"
        process = runs.start("run", self.scene, "-o", run, "--mesh", "--quiet")
        self.wait_for_frame(run, 3)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        # Frames in the queue are meshed too.
        self.assertEqual(len(self.meshes(run)), len(runs.frame_files(run)))
        done = self.good("run", "--resume", run, "--mesh", "--frames",
                         max(MESHED, len(runs.frame_files(run))))
        self.assertIn("made before", done.stderr)
        for name, data in self.meshes(reference).items():
            self.assertEqual((run / "surface" / name).read_bytes(), data)

    def test_mesh_that_cannot_be_written(self):
        """A disk that fails ends the run; every frame in the queue is written."""
        run = self.folder / "run"
        hurdle = run / "surface/frame_000004.ply.part"
        hurdle.mkdir(parents=True)
        done = runs.ooze("run", self.scene, "-o", run, "--mesh", timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("ooze: error: "), 1, done.stderr)
        self.assertIn("frame_000004.ply", done.stderr)
        frames = len(runs.frame_files(run))
        self.assertIn(frames, (5, 6))  # the failed one, and one more from the queue
        self.assertEqual(self.logged(run), list(range(frames)))
        hurdle.rmdir()
        self.good("run", "--resume", run, "--mesh", "--frames", MESHED, "--quiet")
        self.assertEqual(self.meshes(run), self.meshes(self.meshed_afterwards()))

    def test_mesh_that_cannot_be_made(self):
        """A mesh that fails does not end the run; it is reported."""
        self.scene.write_text(runs.SCENE.replace("spacing: 0.05", "spacing: 0.02")
                              + "surface: {cell: 0.01}\n")
        run = self.folder / "run"
        done = self.bad(1, "a frame cannot be meshed: ", "run", self.scene, "-o", run, "--mesh",
                        "--frames", 3,
                        timeout=60)
        self.assertEqual(done.stderr.count("a frame cannot be meshed"), 1)
        self.assertIn("MiB are allowed", done.stderr)
        self.assertEqual(len(runs.frame_files(run)), 4)
        self.assertIn("frame 3 is not meshed", (run / "log.txt").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
