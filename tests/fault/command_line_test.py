"""The command line: every mistake gets one clear line and exit code 2; help and docs agree."""
import json
import os
import re
import subprocess
import unittest

import runs

# Arguments, and words that the message must contain.
BAD_LINES = [
    (["rnu"], "did you mean 'run'"),
    (["chekc", "x"], "did you mean 'check'"),
    (["frobnicate"], "unknown command 'frobnicate'"),
    (["--frobnicate"], "unknown option '--frobnicate'"),
    (["-x"], "unknown option '-x'"),
    ([""], "unknown command ''"),
    (["run"], "SCENE is missing"),
    (["run", ""], "SCENE is empty"),
    (["run", "scene.yaml"], "-o DIR"),
    (["run", "scene.yaml", "-o"], "--output needs a value"),
    (["run", "scene.yaml", "-o", ""], "--output needs a value"),
    (["run", "scene.yaml", "-o", "--resume"], "--output needs a value"),
    (["run", "scene.yaml", "more", "-o", "d"], "unexpected argument 'more'"),
    (["run", "scene.yaml", "-o", "d", "-o", "e"], "given twice"),
    (["run", "scene.yaml", "-o", "d", "--thread", "2"], "did you mean '--threads'"),
    (["run", "scene.yaml", "-o", "d", "--zzz"], "unknown option '--zzz'"),
    (["run", "scene.yaml", "-o", "d", "-z"], "unknown option '-z'"),
    (["run", "scene.yaml", "-o", "d", "--threads"], "--threads needs a value"),
    (["run", "scene.yaml", "-o", "d", "--threads", "two"], "whole number, not 'two'"),
    (["run", "scene.yaml", "-o", "d", "--threads", "-1"], "between 0 and 1024"),
    (["run", "scene.yaml", "-o", "d", "--threads", "1.5"], "whole number"),
    (["run", "scene.yaml", "-o", "d", "--threads", "3/2"], "whole number, not '3/2'"),
    (["run", "scene.yaml", "-o", "d", "--threads", "1e4"], "between 0 and 1024"),
    (["run", "scene.yaml", "-o", "d", "--threads", "2^64"], "between 0 and 1024"),
    (["run", "scene.yaml", "-o", "d", "--threads", "inf"], "between 0 and 1024"),
    (["run", "scene.yaml", "-o", "d", "--threads", "1/0"], "whole number"),
    (["run", "scene.yaml", "-o", "d", "--threads", "99999"], "between 0 and 1024"),
    (["run", "scene.yaml", "-o", "d", "--threads", "99999999999999999999999"],
     "between 0 and 1024"),
    (["run", "scene.yaml", "-o", "d", "--frames", "many"], "whole number, not 'many'"),
    (["run", "scene.yaml", "-o", "d", "--frames=-3"], "between 0 and"),
    (["run", "scene.yaml", "-o", "d", "--device", "gpu"], "auto, cpu or cuda"),
    (["run", "scene.yaml", "-o", "d", "--device", "cdua"], "did you mean 'cuda'"),
    (["run", "scene.yaml", "-o", "d", "--quiet=yes"], "takes no value"),
    (["run", "scene.yaml", "-o", "d", "--set"], "--set needs a value"),
    (["run", "scene.yaml", "-o", "d", "--set", "spacing"], "needs KEY=VALUE"),
    (["run", "scene.yaml", "-o", "d", "--set", "=1"], "needs KEY=VALUE"),
    (["run", "scene.yaml", "-o", "d", "--checkpoint-every", "-1"], "between 0 and"),
    (["run", "scene.yaml", "-o", "d", "--checkpoint-every", "nan"], "needs a number"),
    (["run", "scene.yaml", "-o", "d", "--checkpoint-every", "soon"], "needs a number"),
    (["run", "scene.yaml", "-o", "d", "--checkpoint-every", "inf"], "between 0 and"),
    (["run", "scene.yaml", "-o", "d", "--resume", "--dry-run"], "exclude each other"),
    (["run", "--resume", "d", "--set", "a=1"], "--set needs the scene"),
    (["check"], "SCENE is missing"),
    (["check", "a", "b"], "unexpected argument 'b'"),
    (["check", "a", "--st", "b=1"], "did you mean '--set'"),
    (["info"], "PATH is missing"),
    (["info", "x", "--jsn"], "did you mean '--json'"),
    (["info", "x", "--json", "--hash"], "exclude each other"),
    (["export"], "RUN is missing"),
    (["export", "x"], "say which format"),
    (["export", "x", "--format", "pyl"], "did you mean 'ply'"),
    (["export", "x", "--format", "docx"], "must be"),
    (["export", "x", "--format", "ply", "--frames", "a:b"], "A:B"),
    (["export", "x", "--format", "ply", "--frames", "9:3"], "A:B"),
    (["export", "x", "--format", "ply", "--frames", "0:9:0"], "A:B"),
    (["export", "x", "--format", "ply", "--frames", "1:2:3:4"], "A:B"),
    (["export", "x", "--format", "ply", "--frames", "99999999999999999999999"], "A:B"),
    (["bench"], "say which scene"),
    (["bench", "block"], "did you mean 'blocks'"),
    (["bench", "blocks", "--runs", "0"], "between 1 and"),
    (["bench", "blocks", "--particles", "many"], "whole number, not 'many'"),
    (["bench", "blocks", "--scaling", "sizes"], "sizes"),
    (["bench", "blocks", "--clock", "sun"], "sun"),
    (["bench", "honye"], "did you mean 'honey'"),
    (["view", "x", "--port", "many"], "whole number, not 'many'"),
    (["schema", "x"], "unexpected argument 'x'"),
    (["reference", "--all"], "unknown option '--all'"),
    (["version", "2"], "unexpected argument '2'"),
    (["rheo"], "say what to measure"),
    (["methods", "balistic"], "did you mean 'ballistic'"),
    (["presets", "hony"], "did you mean 'honey'"),
    (["presets", "honey", "oil"], "unexpected argument 'oil'"),
    (["new", "por"], "did you mean 'pour'"),
    (["new", "zzz"], "'ooze new' lists them"),
    (["new", "pour", "jelly"], "unexpected argument 'jelly'"),
    (["new", "-o", "x.yaml"], "say which template"),
    (["examples", "honey_tost"], "did you mean 'honey_toast'"),
    (["examples", "zzzzzz"], "'ooze examples' lists them"),
    (["help", "--completion", "fis"], "did you mean 'fish'"),
    (["help", "--completion"], "--completion needs a value"),
    (["help", "--man", "--markdown"], "exclude each other"),
    (["help", "--man", "rnu"], "did you mean 'run'"),
    (["help", "rnu"], "did you mean 'run'"),
    (["help", "run", "check"], "unexpected argument 'check'"),
    (["run", "\x1b[31mred", "\x1b[31mred"], "unexpected argument '?[31mred'"),
]

COMMANDS = ["new", "examples", "run", "check", "upgrade", "info", "export", "mesh", "plot", "rheo",
            "render", "view", "bench", "methods", "presets", "probes", "schema", "reference",
            "version", "help"]


class CommandLineTest(runs.RunTest):
    def test_bad_lines(self):
        for arguments, part in BAD_LINES:
            with self.subTest(arguments):
                done = runs.ooze(*arguments, cwd=self.folder)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertRegex(done.stderr, r"^ooze( [a-z]+)?: ")
                self.assertIn(part, done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["scene.yaml"])

    def test_a_scene_is_not_a_command(self):
        self.bad(2, f"ooze run {self.scene} -o DIR", self.scene)

    def test_help_everywhere(self):
        overview = self.good().stdout
        self.assertEqual(overview, self.good("help").stdout)
        self.assertEqual(overview, self.good("--help").stdout)
        for command in COMMANDS:
            self.assertRegex(overview, rf"(?m)^  {command} +\w")
            page = self.good("help", command).stdout
            self.assertIn(f"Usage: ooze {command}", page)
            self.assertEqual(page, self.good(command, "--help").stdout)
            self.assertEqual(page, self.good(command, "-h").stdout)
            self.assertLess(max(map(len, page.splitlines())), 100)
        self.assertEqual(len(re.findall(r"(?m)^  [a-z]+ ", overview)), len(COMMANDS))

    def test_cli_page_is_up_to_date(self):
        page = self.good("help", "--markdown").stdout
        self.assertEqual(page, (runs.ROOT / "docs/cli.md").read_text(),
                         "write it anew: build/ooze help --markdown > docs/cli.md")

    def test_version_and_lists(self):
        said = self.good("version").stdout
        self.assertRegex(said, r"^ooze \d+\.\d+\.\d+\n")
        self.assertEqual(said, self.good("--version").stdout)
        self.assertRegex(said, r"(?m)^  hdf5 +yes ")
        self.assertRegex(said, r"(?m)^  cuda +(yes|no) ")
        self.assertIn("ballistic", self.good("methods").stdout)
        self.assertIn("azimuth", self.good("probes").stdout)
        json.loads(self.good("schema").stdout)
        self.assertIn("# ", self.good("reference").stdout)

    def test_bench(self):
        """Figures agree with each other; none depends on the speed of the host."""
        self.assertIn("blocks", self.good("bench", "--list").stdout)
        self.assertIn("massive",
                      [s["name"]
                       for s in json.loads(self.good("bench", "--list", "--json").stdout)])
        few = ["--warm-up", 1, "--runs", 2, "--steps", 1, "--threads", 1]
        said = json.loads(self.good("bench", "blocks", "--particles", 3000, "--json", *few).stdout)
        self.assertAlmostEqual(said["particles"] / 3000, 1, delta=0.2)
        self.assertEqual((said["velocity_iterations"], said["density_iterations"]), (40, 5))
        self.assertAlmostEqual(said["particle_iterations_per_second"],
                               said["particles"] * 45 / said["seconds_per_step"], delta=1)
        self.assertAlmostEqual(said["paper_gpu_particle_iterations_per_second"], 1e7, delta=1)
        self.assertAlmostEqual(said["paper_cpu_particle_iterations_per_second"], 1e7 / 12, delta=1)
        self.assertGreater(said["ns_per_particle_method"], said["ns_per_particle_finish"])
        self.assertEqual(said["calls_per_step_method_density_multipliers"], 5)
        # one more a pass for the residual, two for what is remembered of the last step, with and
        # without some pieces, and one for the forces that join in the second stage
        self.assertEqual(said["calls_per_step_method_velocity_operator"], 45)
        self.assertNotIn("calls_per_step_method_conformation_sweep", said)
        consistent = json.loads(self.good("bench", "blocks", "--particles", 1000, "--json",
                                          "--clock", "cpu", *few,
                                          "--set", "method={name: constraint}").stdout)
        self.assertEqual(consistent["calls_per_step_method_conformation_sweep"], 5)
        self.bad(1, "nonsense", "bench", "blocks", "--set", "method.pressure=nonsense")
        poured = json.loads(self.good("bench", "honey", "--particles", 500, "--json", *few).stdout)
        self.assertGreaterEqual(poured["particles"], 500)
        self.assertIn("1 threads", self.good("bench", self.scene, *few).stdout)
        self.bad(1, "nowhere.yaml", "bench", "nowhere.yaml")

    def test_bench_tables(self):
        """Scaling with few particles: every figure is there, whatever it comes to."""
        few = ["--warm-up", 0, "--runs", 1, "--steps", 1, "--particles", 500]
        by_threads = json.loads(self.good("bench", "blocks", "--scaling", "threads", "--threads", 3,
                                          "--json", *few).stdout)
        self.assertEqual([row["threads"] for row in by_threads["rows"]], [1, 2, 3])
        self.assertEqual(by_threads["rows"][0]["relative"], 1)
        self.assertEqual(by_threads["efficiency"], by_threads["rows"][-1]["relative"])
        by_size = json.loads(self.good("bench", "blocks", "--scaling", "particles", "--json",
                                       *few).stdout)
        self.assertEqual((len(by_size["rows"]), by_size["unevenness"]), (1, 0))
        self.assertIn("even within 0%",
                      self.good("bench", "blocks", "--scaling", "particles", *few).stdout)

    def test_missing_cuda_is_one_clear_sentence(self):
        if re.search(r"(?m)^  cuda +yes", self.good("version").stdout):
            self.bad(1, "device cuda", "run", self.scene, "-o", self.folder / "r", "--device",
                     "cuda")
        else:
            self.bad(1, "no CUDA back end", "run", self.scene, "-o", self.folder / "r", "--device",
                     "cuda")
        self.assertFalse((self.folder / "r").exists())
        self.good("run", self.scene, "-o", self.folder / "r", "--device", "auto", "--frames", 1,
                  "-q")

    def test_missing_and_damaged_files(self):
        nothing = self.folder / "nothing"
        nothing.mkdir()
        other = self.folder / "other"
        other.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
        broken = self.folder / "broken.h5"
        broken.write_bytes(other.read_bytes())
        mesh = self.folder / "broken.stl"
        mesh.write_bytes(b"solid x\nfacet normal 0 0")
        for arguments, part in (
                (["run", "nowhere.yaml", "-o", "r"], "nowhere.yaml"),
                (["run", "--resume", "nowhere"], "nowhere"),
                (["check", "nowhere.yaml"], "nowhere.yaml"),
                (["check", "."], "'.'"),
                (["check", broken], "broken.h5"),
                (["info", "nowhere"], "nowhere"),
                (["info", other], "is unknown"),
                (["info", broken], "broken.h5"),
                (["info", mesh], "broken.stl"),
                (["info", nothing], "not a run folder"),
                (["info", self.scene, "--hash"], "has a hash"),
                (["export", "nowhere", "--format", "ply"], "nowhere"),
                (["export", nothing, "--format", "ply"], "not a run folder")):
            with self.subTest(arguments):
                done = self.bad(1, part, *arguments, cwd=self.folder)
                self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "r").exists())

    def test_broken_pipe_is_quiet(self):
        for restore in (True, False):  # SIGPIPE with its default action, and ignored by the parent
            process = subprocess.Popen([runs.OOZE, "reference"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE,
                                       restore_signals=restore)
            process.stdout.close()
            said = process.stderr.read()
            process.wait(30)
            process.stderr.close()
            self.assertEqual(said, b"")

    def test_check_reports_every_error(self):
        self.scene.write_text(runs.SCENE.replace("radius: 0.12",
                                                 "radios: 0.12").replace("drag: 0.3", "drag: high"))
        done = self.bad(1, f"{self.scene}:", "check", self.scene)
        heads = re.findall(rf"(?m)^{re.escape(str(self.scene))}:(\d+):(\d+): error: ", done.stderr)
        self.assertGreaterEqual(len(heads), 2, done.stderr)
        lines = done.stderr.splitlines()
        at = next(i for i, line in enumerate(lines) if "radios" in line)
        self.assertIn("    radios: 0.12", lines[at + 1])
        self.assertEqual(lines[at + 2].index("^"), lines[at + 1].index("radios"))
        self.assertIn("did you mean 'radius'?", lines[at + 3])
        self.assertNotIn("\x1b", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_check_prints_a_summary(self):
        done = self.good("check", self.scene)
        self.assertRegex(done.stdout,
                         r"no errors, \d+ warnings?: [\d,]+ particles \([\d,]+ with emitters\), "
                         r"frames 0 to 40, 400 steps\n$")
        self.bad(1, "--set", "check", self.scene, "--set", "materials.honey.dragg=1")
        self.good("check", self.scene, "--set", "materials.honey.drag=1")

    def test_a_run_that_goes_wrong(self):
        """A nozzle that circles at 1e12 deg/s and 1.2e9 m throws its fluid along the floor at 2e19
        m/s, and the square of that, which friction asks for, is more than a float holds (3.4e38).
        It opens after 3.5 s: the frames of the three seconds before are good, and stay."""
        self.scene.write_text("ooze: 2\nmethod: {name: ballistic}\nspacing: 0.5\n"
                              "time_step: 1/8\nduration: 9\nframe_rate: 1\nmaterials: {m: {}}\n"
                              "solids: [{shape: {type: plane}}]\n"
                              "fluids: [{material: m, shape: {type: box, size: [2, 2, 2], "
                              "position: [0, 3, 0]}}]\n"
                              "emitters: [{material: m, radius: 1, position: [0, 2, 0], "
                              "start: 3.5,\n"
                              "            motion: {spin: [0, 1e12, 0], pivot: [1.2e9, 0, 0]}}]\n")
        run = self.folder / "r"
        done = self.bad(3, "is no longer finite", "run", self.scene, "-o", run)
        self.assertIn("(material 'm')", done.stderr)
        self.assertIn("hint: ", done.stderr)
        frames = runs.frame_files(run)
        self.assertEqual(len(frames), 4)
        for frame in frames:
            runs.read_frame(frame)
        self.assertEqual((run / "run.xdmf").read_text().count("<Time "), 4)
        self.assertIn("is no longer finite", (run / "log.txt").read_text())
        self.bad(3, "is no longer finite", "run", "--resume", run)
        self.assertEqual(len(runs.frame_files(run)), 4)

    def test_runs_warn_like_check(self):
        self.scene.write_text(runs.SCENE.replace("drag: 0.1}", "drag: 0.1, viscosity: 3}"))
        told = "the method 'ballistic' ignores 'viscosity'"
        self.assertIn(told, self.good("check", self.scene).stderr)
        run = self.folder / "r"
        done = self.good("run", self.scene, "-o", run, "--frames", 1, "--quiet")
        self.assertIn(told, done.stderr)
        self.assertIn(told, (run / "log.txt").read_text())
        done = self.good("run", "--resume", run, "--frames", 2, "--quiet")
        self.assertEqual(done.stderr, "")  # the first run has warned

    def test_progress_and_profile(self):
        done = self.good("run", self.scene, "-o", self.folder / "p")
        self.assertNotIn("ms per step", done.stderr)
        self.assertIn("ms per step", (self.folder / "p/log.txt").read_text())
        self.assertIn(f"ooze: next: ooze render {self.folder}/p --preview, or ooze mesh "
                      f"{self.folder}/p; without --preview: the surface in full light\n",
                      done.stderr)
        done = self.good("run", self.scene, "-o", self.folder / "r", "--profile")
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(re.findall(r"(?m)^frame 40/40", done.stderr)), 1, done.stderr)
        self.assertNotIn("\r", done.stderr)
        self.assertRegex(done.stderr,
                         r"(?m)^frame 40/40, [\d,]+ particles, .+ steps/s, ETA .+, density "
                         r"error -$")
        for stage in ("emit", "solids", "neighbours", "method", "finish", "probes", "output",
                      "total"):
            self.assertRegex(done.stderr, rf"(?m)^  {stage} +\d+\.\d+ +\d+\.\d$")
        log = (self.folder / "r/log.txt").read_text()
        self.assertIn("frame 40: step 400", log)
        self.assertIn("finished", log)
        done = self.good("run", self.scene, "-o", self.folder / "q", "--quiet", "--frames", 2)
        self.assertEqual(done.stderr + done.stdout, "")

    def test_progress_on_a_terminal(self):
        master, slave = os.openpty()
        process = subprocess.Popen([runs.OOZE, "run", str(self.scene), "-o",
                                    str(self.folder / "r")], stderr=slave,
                                   env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        said = b""
        while True:
            try:
                more = os.read(master, 4096)
            except OSError:
                break
            if not more:
                break
            said += more
        os.close(master)
        self.assertEqual(process.wait(60), 0)
        self.assertIn(b"\r[", said)
        self.assertIn(b"frame 40/40", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
