"""kill -9 at random moments loses no finished frame, and the resumed run ends with the same
bits."""
import random
import time
import unittest

import runs

KILLS = 60  # shared evenly by 1, 2 and 3 threads
THREADS = (1, 2, 3)
KILLS_A_RUN = 6


class KillTest(runs.RunTest):
    def kill_once(self, run, threads, delay):
        """Starts or resumes the run and kills it after `delay`; True when it was still running."""
        process = runs.start("run", self.scene, "-o", run, "--resume", "--threads", threads,
                             "--quiet",
                             "--checkpoint-every", 0.01)
        time.sleep(delay)
        process.kill()
        _, said = process.communicate()
        self.assertIn(process.returncode, (0, -9), said)
        return process.returncode == -9

    def check_frames(self, run, known):
        """Every frame that was there is there, every one reads, and there is no gap."""
        files = runs.frame_files(run)
        self.assertGreaterEqual(len(files), known)
        for number, file in enumerate(files):
            self.assertEqual(file.name, f"frame_{number:06d}.h5")
            self.assertEqual(runs.read_frame(file), 10 * number)
        return len(files)

    def test_kill_sweep(self):
        started = time.monotonic()
        reference = self.reference()
        whole = time.monotonic() - started
        wanted = self.hash_of(reference)
        dice = random.Random(20240229)
        kills = runs_made = 0
        where = {}  # finished frames at the moment of the kill
        while kills < KILLS:
            threads = THREADS[runs_made % len(THREADS)]
            run = self.folder / f"run{runs_made}"
            frames = killed_here = 0
            # A resumed run is killed again and again, each time somewhere in about a third of a
            # run.
            while killed_here < KILLS_A_RUN and kills < KILLS:
                if not self.kill_once(run, threads, dice.uniform(0.0, whole / 3)):
                    break
                kills += 1
                killed_here += 1
                frames = self.check_frames(run, frames)
                where[frames] = where.get(frames, 0) + 1
            self.good("run", self.scene, "-o", run, "--resume", "--threads", threads, "--quiet")
            self.check_frames(run, frames)
            self.assertEqual(self.hash_of(run), wanted, f"{threads} threads")
            self.check_equal(run, reference)
            runs_made += 1
        print(f"{kills} kills in {runs_made} runs, {len(where)} different frame counts hit, "
              f"{time.monotonic() - started:.0f} s")
        # Kills must have interrupted steps, not only starts and ends.
        self.assertGreater(len(where), 8)


if __name__ == "__main__":
    unittest.main(verbosity=2)
