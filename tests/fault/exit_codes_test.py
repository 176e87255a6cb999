"""Exit codes of every command, as the table of docs/cli.md states them."""
import re
import signal
import time
import unittest

import runs

DOCS = (runs.ROOT / "docs/cli.md").read_text()
COMMANDS = re.findall(r"^\| \[(\w+)\]\(#ooze-\w+\)", DOCS, re.M)
CODES = [int(code) for code in re.findall(r"^\| (\d+) \| \S", DOCS, re.M)]

DIVERGING = """\
ooze: 2
method: {name: ballistic}
spacing: 0.5
time_step: 1/8
duration: 2
frame_rate: 1
materials: {m: {}}
solids: [{shape: {type: plane}}]
fluids: [{material: m, shape: {type: box, size: [2, 2, 2], position: [0, 3, 0]}}]
emitters: [{material: m, radius: 1, position: [0, 2, 0], start: 1,
            motion: {spin: [0, 1e12, 0], pivot: [1.2e9, 0, 0]}}]
"""

# Command lines of every command, by exit code. RUN is a finished run, LOST a run without frame 1,
# SCENE a valid scene, WRONG a scene with an error, OUT a new folder.
TABLE = {
    "run": {0: ["SCENE -o OUT --frames 1", "--resume RUN --frames 2", "--resume LOST --frames 2",
                "SCENE --dry-run --frames 1"],
            1: ["WRONG -o OUT", "nowhere.yaml -o OUT", "SCENE -o RUN", "--resume nowhere",
                "SCENE -o /proc/nowhere", "--resume LOST --from-frame 1"],
            2: ["SCENE", "SCENE -o OUT --from-frame 1"],
            3: ["DIVERGING -o OUT"]},
    "check": {0: ["SCENE", "SCENE --json"], 1: ["WRONG", "WRONG --json", "nowhere.yaml",
                                                "SCENE --set spacing=0"]},
    "info": {0: ["RUN", "RUN --hash", "RUN/frames/frame_000001.h5", "SCENE"],
             1: ["LOST", "nowhere", "WRONG", "SCENE --hash", "DAMAGED"],
             2: ["RUN --hash --json"]},
    "export": {0: ["RUN -f csv -o OUT", "LOST -f csv -o OUT --frames 2"],
               1: ["LOST -f csv -o OUT", "nowhere -f csv", "RUN -f csv --frames 40",
                   "RUN -f csv -o /proc/nowhere"],
               2: ["RUN", "RUN -f docx"]},
    "mesh": {0: ["RUN -o OUT --cell 1"],
             1: ["LOST -o OUT --cell 1", "nowhere", "RUN --frames 40", "RUN -o /proc/nowhere"],
             2: ["RUN --format docx", "RUN --cell many"]},
    "plot": {0: ["RUN tall -o OUT.svg"],
             1: ["RUN nothing -o OUT.svg", "nowhere tall", "RUN tall -o /proc/nowhere/x.svg"],
             2: ["RUN tall --log z"]},
    "rheo": {1: ["nowhere.yaml", "--fit nowhere.csv", "WRONG", "honye"],
             2: ["", "honey --tolerance many"]},
    "render": {0: ["RUN -o OUT --preview --size 8x8 --video OUT.mp4 --frames 0"],
               1: ["LOST -o OUT --preview --size 8x8 --video OUT.mp4", "nowhere",
                   "RUN --frames 40 --preview"],
               2: ["RUN --size many"]},
    "view": {1: ["nowhere.yaml --no-browser", "WRONG --no-browser"],
             2: ["", "SCENE --port many", "SCENE --port 70000"]},
    "bench": {0: ["SCENE --runs 1 --steps 1 --warm-up 0", "--list"],
              1: ["nowhere.yaml", "WRONG"], 2: ["honye"]},
    "new": {0: ["", "pour -o OUT.yaml", "pour -o -", "pour -o OUT.yaml --force"],
            1: ["pour -o WRONG", "pour -o /proc/nowhere/x.yaml"], 2: ["nothing"]},
    "examples": {0: ["", "live", "live/ice_cream -o OUT"],
                 1: ["live/ice_cream -o /proc/nowhere"], 2: ["nothing"]},
    "upgrade": {0: ["SCENE"], 1: ["nowhere.yaml", "SCENE -o /proc/nowhere/x.yaml"],
                2: ["", "SCENE --angles gon"]},
    "methods": {0: ["", "ballistic"], 2: ["nothing"]},
    "presets": {0: ["", "honey", "honey --json"], 2: ["nothing"]},
    "probes": {0: [""]},
    "schema": {0: [""]},
    "reference": {0: [""]},
    "version": {0: [""]},
    "help": {0: ["", "run", "--markdown"], 2: ["nothing"]},
}
PRINTING = ["check SCENE", "info RUN", "methods", "presets", "probes", "schema", "reference",
            "version", "help", "help --markdown", "help --man", "new", "new pour -o -", "examples",
            "export RUN -f csv -o OUT",
            "mesh RUN -o OUT --cell 1"]


class ExitCodes(runs.RunTest):
    def setUp(self):
        super().setUp()
        self.made = 0
        self.run_folder = self.folder / "run"
        self.lost = self.folder / "lost"
        for run in (self.run_folder, self.lost):
            self.good("run", self.scene, "-o", run, "--frames", 2, "--quiet", "--threads", 1)
        (self.lost / "frames/frame_000001.h5").unlink()
        self.wrong = self.folder / "wrong.yaml"
        self.wrong.write_text(runs.SCENE.replace("spacing: 0.05", "spacing: -1"))
        self.diverging = self.folder / "diverging.yaml"
        self.diverging.write_text(DIVERGING)
        self.damaged = self.folder / "damaged.h5"
        self.damaged.write_bytes((self.run_folder / "frames/frame_000001.h5").read_bytes()[:-9])

    def words(self, line):
        """The words of a line with the names of the table replaced."""
        self.made += 1
        names = {"RUN": self.run_folder, "LOST": self.lost, "SCENE": self.scene,
                 "WRONG": self.wrong, "DIVERGING": self.diverging, "DAMAGED": self.damaged,
                 "OUT": self.folder / f"out{self.made}"}
        pattern = r"\b(" + "|".join(names) + r")\b"
        return [re.sub(pattern, lambda match: str(names[match[1]]), word) for word in line.split()]

    def test_table_is_complete(self):
        self.assertEqual(CODES, [0, 1, 2, 3, 130])
        self.assertEqual(sorted(TABLE), sorted(COMMANDS))

    def test_table(self):
        renders = re.search(r"render\s+yes", self.good("version").stdout)
        for command, codes in TABLE.items():
            if command == "render" and not renders:
                continue
            for code, lines in codes.items():
                for line in lines:
                    with self.subTest(f"{command} {line}"):
                        done = runs.ooze(command, *self.words(line), cwd=self.folder)
                        self.assertEqual(done.returncode, code, done.stderr)
                        if code:
                            self.assertNotEqual(done.stderr, "")

    def test_every_command_refuses_what_it_does_not_know(self):
        for command in COMMANDS:
            for words in (["--no-such-option"], ["-%"]):
                with self.subTest(f"{command} {words}"):
                    self.assertEqual(runs.ooze(command, *words).returncode, 2)
            self.assertEqual(runs.ooze(command, "--help").returncode, 0)

    def test_full_output(self):
        """Results that cannot be written are an error of the machine."""
        for line in PRINTING:
            with self.subTest(line), open("/dev/full", "w") as full:
                process = runs.start(*self.words(line), stdout=full)
                _, said = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 1, said)

    def test_interrupted(self):
        self.scene.write_text(runs.SCENE.replace("duration: 0.4", "duration: 400"))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                run = self.folder / f"interrupted{number}"
                # heard also where the tests run in the background, which ignores them
                process = runs.start("run", self.scene, "-o", run, "--quiet",
                                     preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
                self.addCleanup(process.kill)
                while not (run / "frames/frame_000001.h5").exists() and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(number)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    unittest.main(verbosity=2)
