"""Pictures of runs, whole and damaged ones, with options that make no sense, and on full disks."""
import os
import re
import resource
import shutil
import signal
import time
import unittest

import h5py

import runs

SMALL = ("--size", "48x32", "--samples", "1", "--quiet")


@unittest.skipUnless("render   yes" in runs.ooze("version").stdout, "built without the renderer")
class RenderTest(runs.RunTest):
    def short_run(self, frames=4):
        run = self.folder / "run"
        self.good("run", self.scene, "-o", run, "--frames", frames, "--quiet")
        return run

    def pictures(self, run):
        return sorted((run / "pictures").glob("*.png"))

    def test_every_frame_and_a_video(self):
        run = self.short_run()
        done = self.good("render", run, "--size", "48x32", "--samples", "1")
        self.assertIn("5 pictures", done.stdout)
        self.assertEqual([p.name for p in self.pictures(run)],
                         [f"frame_{i:06d}.png" for i in range(5)])
        if shutil.which("ffmpeg"):
            self.assertGreater((run / "video.mp4").stat().st_size, 500)
            self.assertIn("video.mp4", done.stdout)

    def test_the_same_bytes_again_and_kept(self):
        run = self.short_run()
        self.good("render", run, *SMALL, "--frames", 2, "--threads", 1)
        picture = run / "pictures/frame_000002.png"
        first, stamp = picture.read_bytes(), picture.stat().st_mtime_ns
        done = self.good("render", run, *SMALL[:-1], "--frames", 2)
        self.assertIn("1 of them from before", done.stdout)
        self.assertEqual(picture.stat().st_mtime_ns, stamp)
        picture.unlink()
        self.good("render", run, *SMALL, "--frames", 2, "--threads", 3)
        self.assertEqual(picture.read_bytes(), first)
        self.good("render", run, *SMALL, "--frames", 2, "--seed", 9)  # other settings: drawn anew
        self.assertNotEqual(picture.read_bytes(), first)
        self.good("render", run, *SMALL, "--frames", 2)
        picture.write_bytes(first[:-20])  # cut short
        self.good("render", run, *SMALL, "--frames", 2)
        self.assertEqual(picture.read_bytes(), first)

    def test_preview_particles_colours_and_backdrops(self):
        run = self.short_run()
        seen = set()
        for options in (["--preview"], ["--particles"], ["--color-by", "speed"],
                        ["--color-by", "speed:0:4"],
                        ["--set", "render.backdrop=grid"], ["--set", "render.backdrop=sky"],
                        ["--set", "materials.honey.look=chocolate"],
                        ["--camera", "1,max(1, 0),6/2"],
                        ["--camera", "1,1,3,0,0.4,0"], ["--set", "render.exposure=1"],
                        ["--set", "render.lights=[{position: [1, 2, 1]}]"],
                        ["--set", "render.environment=studio"],
                        ["--set", "render.environment={type: sky, rotation: 30}"],
                        ["--set", "render.environment={type: kitchen, strength: 2}"],
                        ["--set", "render.shutter=0.5"], ["--set", "render.camera.f_number=1"],
                        ["--set", "render.camera={aperture: 0.2, focus: honey}"],
                        ["--set", "render.caustics=false"]):
            self.good("render", run, *SMALL, "--frames", 3, *options)
            seen.add((run / "pictures/frame_000003.png").read_bytes())
        self.assertEqual(len(seen), 18)

    def test_a_time_for_each_picture(self):
        run = self.short_run(1)
        done = self.good("render", run, *SMALL[:2], "--frames", 1, "--time", 0.3)
        mean = float(re.search(r"([0-9.]+) samples a pixel", done.stdout).group(1))
        picture = run / "pictures/frame_000001.png"
        pixels = picture.read_bytes().split(b"IDAT")[1:]
        self.good("render", run, *SMALL[:2], "--frames", 1, "--samples", int(mean))
        self.assertEqual(picture.read_bytes().split(b"IDAT")[1:], pixels)

    def test_damage_and_gaps(self):
        run = self.short_run()
        runs.frame_files(run)[1].unlink()
        frame = runs.frame_files(run)[2]
        frame.write_bytes(frame.read_bytes()[:-100])
        self.bad(1, "frame 3 is left out", "render", run, *SMALL)
        self.assertEqual([p.name[6:12] for p in self.pictures(run)], ["000000", "000002", "000004"])
        self.bad(1, "no frame in the range", "render", run, *SMALL, "--frames", 1)

    def test_bad_options(self):
        run = self.short_run(1)
        for part, *options in (
                ("needs WIDTHxHEIGHT", "--size", "48"), ("needs WIDTHxHEIGHT", "--size", "0x5"),
                ("needs WIDTHxHEIGHT", "--size", "nanx5"), ("needs X,Y,Z", "--camera", "1,2"),
                ("needs X,Y,Z", "--camera", "1,2,nan"),
                ("FIELD:LOW:HIGH", "--color-by", "speed:3:1"),
                ("needs seconds", "--time", "0"), ("needs seconds", "--time", "soon"),
                ("samples", "--samples", "0"), ("--frames needs", "--frames", "5:2")):
            self.bad(2, part, "render", run, *options)
        self.bad(1, "GB of memory", "render", run, "--size", "65000x65000")
        self.bad(1, "each side is", "render", run, "--size", "1e9x1e9")
        for camera in ("1e39,0,0", "0,-1e300,0", "0,0,2e6", "0,0,1,1e39,0,0"):
            self.bad(1, "it must be -1e+06 to 1e+06", "render", run, *SMALL, "--camera", camera)
        for ends in ("-inf:inf", "0:1e300"):
            self.bad(1, "end of the colours", "render", run, *SMALL, "--color-by", f"speed:{ends}")
        for key, value in (("camera.position", "[1e39, 0, 0]"), ("exposure", "1e300"),
                           ("lights", "[{position: [0, 1e39, 0]}]")):
            self.bad(1, "it must be", "render", run, *SMALL, "--set", f"render.{key}={value}")
        self.bad(1, "did you mean 'velocity'?", "render", run, *SMALL, "--color-by", "velocit")
        self.bad(1, "did you mean 'honey'?", "render", run, *SMALL, "--set",
                 "materials.honey.look=hony")
        self.bad(1, "no material or solid 'hony' to focus on", "render", run, *SMALL, "--set",
                 "render.camera={f_number: 2, focus: hony}")
        self.bad(1, "cannot open", "render", self.folder / "nowhere")

    def test_without_ffmpeg(self):
        run = self.short_run(1)
        empty = self.folder / "empty"
        empty.mkdir()
        self.bad(1, "ffmpeg, which makes the video, is not found", "render", run, *SMALL,
                 env={"PATH": str(empty)})
        self.assertEqual(len(self.pictures(run)), 2)
        fake = empty / "ffmpeg"
        fake.write_text("#!/bin/sh\necho it broke >&2\nexit 3\n")
        fake.chmod(0o755)
        done = self.bad(1, "it broke", "render", run, *SMALL,
                        env={"PATH": f"{empty}:{os.environ['PATH']}"})
        self.assertIn("ffmpeg failed", done.stderr)
        self.assertFalse((run / "video.mp4").exists())
        self.assertFalse((run / "video.mp4.part").exists())

    def test_full_disk(self):
        run = self.short_run(1)

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

        done = runs.ooze("render", run, *SMALL, preexec_fn=no_room)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("frame_000000.png", done.stderr)
        self.assertEqual(list((run / "pictures").iterdir()), [])

    def test_interrupted_and_resumed(self):
        run = self.short_run(3)
        options = ("--size", "160x120", "--samples", "48", "--quiet")
        going = runs.start("render", run, *options)
        deadline = time.time() + 60
        while not self.pictures(run) and time.time() < deadline:
            time.sleep(0.02)
        going.send_signal(signal.SIGINT)
        _, told = going.communicate(timeout=60)
        self.assertIn(going.returncode, (0, 130), told)
        if going.returncode == 130:
            self.assertIn("goes on where it stopped", told)
        kept = len(self.pictures(run))
        done = self.good("render", run, *options[:-1])
        self.assertIn(f"{kept} of them from before", done.stdout)

    def test_positions_that_are_not_numbers(self):
        run = self.short_run(1)
        frame = runs.frame_files(run)[1]
        with h5py.File(frame, "r+") as file:
            file["particles/position"][0] = float("nan")
        done = self.bad(1, "frame 1 is left out", "render", run, *SMALL)
        self.assertEqual([p.name[6:12] for p in self.pictures(run)], ["000000"], done.stderr)

    def test_an_empty_run(self):
        self.scene.write_text("ooze: 2\nmethod: {name: ballistic}\nspacing: 0.1\n"
                              "time_step: 0.01\nduration: 0.1\n"
                              "frame_rate: 10\nmaterials:\n  water: {}\n"
                              "emitters:\n  - {material: water, radius: 0.3, start: 5}\n")
        run = self.folder / "empty_run"
        self.good("run", self.scene, "-o", run, "--quiet")
        self.good("render", run, *SMALL)
        self.assertEqual(len(self.pictures(run)), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
