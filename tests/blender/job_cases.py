"""Commands that the add-on follows: progress, cancel, kill, errors."""
import os
import signal
import time

import bpy

import ooze
from case import FOLDER, OOZE, BlenderCase, info

# long enough to be interrupted, and writes frames from its first second on
LONG = """
ooze: 2
up: z
method: {name: ballistic}
spacing: 0.01
time_step: 1/2400
duration: 40
frame_rate: 24
materials: {water: {}}
fluids:
  - {material: water, shape: {type: box, size: [0.2, 0.2, 0.2], position: [0, 0, 0.5]}}
solids:
  - {name: floor, shape: {type: plane}}
"""


class Jobs(BlenderCase):
    def setUp(self):
        super().setUp()
        self.scene_file = FOLDER / "long.yaml"
        self.scene_file.write_text(LONG)

    def start(self, run):
        """A run that the timer follows, as in Blender with windows; two frames are written."""
        job = ooze.jobs.Job(OOZE, [["run", self.scene_file, "-o", run, "--threads", 1]],
                            lambda: "Done.")
        ooze.jobs.Current.job = job
        self.state().running = True
        self.assertEqual(ooze.jobs.tick(), ooze.jobs.INTERVAL)
        deadline = time.monotonic() + 60
        while not (run / "frames/frame_000001.h5").exists():
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNotNone(ooze.jobs.tick())
            time.sleep(0.05)
        return job

    def finish(self):
        while ooze.jobs.tick() is not None:
            time.sleep(0.02)

    def test_cancelled_run_can_be_continued(self):
        run = FOLDER / "cancelled"
        job = self.start(run)
        bpy.ops.ooze.cancel()
        self.finish()
        self.assertEqual(self.state().text, "The run was cancelled; it can be continued.")
        self.assertTrue(self.state().failed)
        self.assertFalse(self.state().running)
        self.assertEqual(job.process.poll(), 130)
        frames = info(run)["frame"]
        process = ooze.command.Process(OOZE, ["run", "--resume", run, "--frames", frames + 2,
                                              "--threads", 1])
        while process.poll() is None:
            time.sleep(0.02)
        self.assertEqual(process.poll(), 0, process.lines)
        self.assertEqual(info(run)["frame"], frames + 2)

    def test_killed_run_is_reported(self):
        job = self.start(FOLDER / "killed")
        os.kill(job.process.child.pid, signal.SIGKILL)
        self.finish()
        self.assertIn("was killed", self.state().text)
        self.assertTrue(self.state().failed)
        self.assertFalse(self.state().running)
        self.assertIsNone(ooze.jobs.Current.job)

    def test_progress_is_shown(self):
        job = self.start(FOLDER / "progress")
        self.assertRaises(ooze.command.OozeError, ooze.jobs.start, OOZE, [], lambda: "")
        deadline = time.monotonic() + 30
        while job.process.total == 0 and time.monotonic() < deadline:
            ooze.jobs.tick()
            time.sleep(0.05)
        ooze.jobs.tick()
        self.assertEqual(job.process.total, 960)
        self.assertRegex(self.state().text, r"^frame \d+ of 960, .+ left$")
        self.assertLess(self.state().fraction, 100)
        bpy.ops.ooze.cancel()
        self.finish()

    def test_error_of_a_scene_is_one_sentence(self):
        self.scene_file.write_text(LONG.replace("spacing: 0.01", "spacing: -1"))
        ooze.jobs.start(OOZE, [["check", self.scene_file]], lambda: "Done.")
        self.assertTrue(self.state().failed)
        self.assertIn("pacing", self.state().text)
        self.assertTrue(self.state().text.endswith("."))
        self.assertNotIn("\n", self.state().text)

    def test_lines_of_progress(self):
        match = ooze.command.PROGRESS.match
        line = "frame 7/12, 1,240 particles, 18.5 steps/s, ETA 2 s, density error 0.73%"
        self.assertEqual(match(line).groups(), ("frame", "7", "12", "1,240", "2 s"))
        self.assertEqual(match("mesh 13/13, 1,500 particles, ETA 0.00 s")[5], "0.00 s")
        self.assertIsNone(match("ooze: error: 'x' is not a run folder"))
