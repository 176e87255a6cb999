"""Disks that are full and folders that cannot be written to: a clear error, and nothing lost."""
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest

import h5py

import runs


def limit_file_size(size):
    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return apply


class DiskTest(runs.RunTest):
    def check_frames_stand(self, run):
        files = runs.frame_files(run)
        for number, file in enumerate(files):
            self.assertEqual(runs.read_frame(file), 10 * number)
        return len(files)

    def test_file_size_limit(self):
        """A limit that only some frames exceed replaces a disk that fills up."""
        reference = self.reference()
        sizes = [file.stat().st_size for file in runs.frame_files(reference)]
        limit = sizes[0] + 100
        fitting = next(i for i, size in enumerate(sizes) if size > limit)
        self.assertGreater(fitting, 0)
        run = self.folder / "run"
        done = runs.ooze("run", self.scene, "-o", run, preexec_fn=limit_file_size(limit))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"frame_{fitting:06d}.h5", done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(self.check_frames_stand(run), fitting)
        self.good("run", "--resume", run, "--quiet")
        self.check_equal(run, reference)

    def mounted(self, kibibytes):
        """A file system of that size, or None where mounting is not allowed."""
        place = self.folder / "small"
        place.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs",
                               str(place)],
                              capture_output=True)
        if done.returncode:
            return None
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)])
        return place

    def test_full_disk(self):
        """A real file system that fills up, at several fill levels so that different writes fail.
        Where mounting is forbidden a limit on file sizes replaces it."""
        reference = self.reference()
        frame = runs.frame_files(reference)[0].stat().st_size
        place = self.mounted(2048)
        if place is None:
            for size in (100, frame // 2, frame + 1000):
                run = self.folder / f"run{size}"
                done = runs.ooze("run", self.scene, "-o", run, preexec_fn=limit_file_size(size))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("cannot", done.stderr)
            return
        for room in (0, 4, 16, 40, 100, 300):
            with self.subTest(room=room):
                run = place / "run"
                with open(place / "ballast", "wb") as ballast:
                    ballast.write(bytes(1024 * (2048 - room - 4)))
                done = runs.ooze("run", self.scene, "-o", run)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("No space left", done.stderr)
                self.assertIn("hint: free some disk space", done.stderr)
                stood = self.check_frames_stand(run)
                os.unlink(place / "ballast")
                self.good("run", self.scene, "-o", run, "--resume", "--quiet", "--frames",
                          stood + 2)
                for mine, theirs in zip(runs.frame_files(run), runs.frame_files(reference)):
                    self.assertEqual(mine.read_bytes(), theirs.read_bytes())
                shutil.rmtree(run)

    def test_full_disk_behind_stdout(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([runs.OOZE, "schema"], stdout=full, stderr=subprocess.PIPE,
                                  text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write the result", done.stderr)

    def test_folders_that_cannot_be(self):
        """Places where even root cannot write."""
        plain = self.folder / "plain"
        plain.write_text("x")
        for place in (plain, plain / "run", "/proc/ooze-run", "/dev/null/run"):
            with self.subTest(str(place)):
                done = self.bad(1, "ooze: error: ", "run", self.scene, "-o", place)
                self.assertIn(str(place).split("/run")[0], done.stderr)
        self.assertEqual(plain.read_text(), "x")

    def test_read_only_file_system(self):
        """A run on a read-only file system can be read but not resumed."""
        place = self.mounted(4096)
        if place is None:  # a folder without write permission, which does not apply to root
            place = self.folder / "locked"
            place.mkdir()
            place.chmod(0o555)
            if os.geteuid() == 0:
                self.skipTest("no file system can be mounted here")
            self.bad(1, "Permission denied", "run", self.scene, "-o", place / "run")
            return
        run = place / "run"
        self.good("run", self.scene, "-o", run, "--frames", 3, "--quiet")
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        self.bad(1, "Read-only file system", "run", "--resume", run)
        self.bad(1, "Read-only file system", "run", self.scene, "-o", place / "other")
        self.bad(1, "Read-only file system", "export", run, "--format", "ply")
        self.good("info", run)
        self.good("export", run, "--format", "ply", "-o", self.folder / "elsewhere", "--quiet")
        subprocess.run(["mount", "-o", "remount,rw", str(place)], check=True)
        self.good("run", "--resume", run, "--frames", 5, "--quiet")
        self.assertEqual(self.check_frames_stand(run), 6)

    def test_dry_run_writes_nothing(self):
        run = self.folder / "run"
        before = sorted(self.folder.rglob("*"))
        done = self.good("run", self.scene, "-o", run, "--dry-run")
        for word in ("particles", "memory", "disk", "time", "frames", "steps"):
            self.assertIn(word, done.stdout)
        self.good("run", self.scene, "--dry-run")
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_dry_run_predicts_emitted_particles(self):
        """No sink: the run must then hold exactly the particles, and the bytes, that `--dry-run`
        predicted."""
        scene = self.folder / "emitters.yaml"
        text = runs.SCENE.split("sinks:")[0]
        text += ("  - {material: honey, radius: 0.2, position: [5, 1, 0], start: 0.1, stop: 0.2, "
                 "speed: 1}\n")
        text += "  - {material: honey, radius: 0.2, position: [9, 1, 0], limit: 100}\n"
        scene.write_text(text)
        told = self.good("run", scene, "--dry-run").stdout
        checked = self.good("check", scene).stdout
        run = self.folder / "foreseen"
        self.good("run", scene, "-o", run, "--quiet")
        last = runs.frame_files(run)[-1]
        with h5py.File(last) as frame:
            count = frame.attrs["particle_count"]
        start, end = re.search(r"(?m)^particles +([\d,]+), and with emitters ([\d,]+) at the end",
                               told).groups()
        self.assertEqual(int(end.replace(",", "")), count)
        self.assertIn(f"{start} particles ({end} with emitters)", checked)
        self.assertGreater(count, 100 + int(start.replace(",", "")))
        sizes = [path.stat().st_size for path in runs.frame_files(run)]
        total, final = re.search(r"(?m)^disk +([\d.]+ \w+), ([\d.]+ \w+) for the last frame",
                                 told).groups()
        units = {"bytes": 1, "KiB": 1024, "MiB": 1024**2}
        for text, true in ((total, sum(sizes)), (final, sizes[-1])):
            number, unit = text.split()
            # three figures are shown; HDF5's own tables are taken from the trial's last state
            self.assertAlmostEqual(float(number) * units[unit] / true, 1.0, delta=0.02)

    def test_dry_run_warns_of_a_small_disk(self):
        place = self.mounted(64)
        if place is not None:
            done = self.good("run", self.scene, "-o", place / "run", "--dry-run")
            self.assertIn("has room for", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
