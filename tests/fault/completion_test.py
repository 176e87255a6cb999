"""Manual pages without warnings, and completion of command lines in bash, zsh and fish."""
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import runs

# A line, and words that complete its last one, or some of them where a word ends with "...".
LINES = [
    ("ooze pre", ["presets"]),
    ("ooze re", ["render", "reference"]),
    ("ooze run --devi", ["--device"]),
    ("ooze run --device c", ["cpu", "cuda"]),
    ("ooze run sc", ["scene.yaml"]),
    ("ooze run --resume -o so", ["some_run/"]),
    ("ooze presets hon", ["honey"]),
    ("ooze rheo hon", ["honey"]),
    ("ooze rheo --method conf", ["conformation"]),
    ("ooze new ri", ["rig"]),
    ("ooze examples gallery/honey_t", ["gallery/honey_toast"]),
    ("ooze examples honey_t", ["honey_toast"]),
    ("ooze help exa", ["examples"]),
    ("ooze help --completion z", ["zsh"]),
    ("ooze export some_run --format u", ["usda"]),
    ("ooze methods spr", ["springs"]),
]


def needs(*commands):
    missing = [name for name in commands if not shutil.which(name)]
    return unittest.skipIf(missing, f"not installed here: {', '.join(missing)}")


class HelpTest(runs.RunTest):
    def setUp(self):
        super().setUp()
        (self.folder / "some_run").mkdir()
        (self.folder / "notes.txt").write_text("")
        self.environment = {**os.environ, "HOME": str(self.folder), "TERM": "dumb",
                            "PATH": f"{runs.BUILD}:{os.environ['PATH']}"}

    def script(self, shell, name):
        path = self.folder / "shell" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(self.good("help", "--completion", shell).stdout)
        return path

    def commands(self):
        return re.findall(r"(?m)^  ([a-z]+) ", self.good("help").stdout)

    def shell(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder,
                              env=self.environment, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    # -- manual pages -----------------------------------------------------------------------------

    @needs("groff")
    def test_manual_pages_have_no_warning(self):
        for command in ["", *self.commands()]:
            page = self.folder / f"ooze-{command}.1"
            page.write_text(self.good("help", "--man", *command.split()).stdout)
            shown = self.shell("groff", "-man", "-Tascii", "-ww", "-P-c", str(page))
            self.assertIn(f"ooze-{command}".rstrip("-"), shown)
            self.assertNotIn("`", shown)
            for heading in ["NAME", "SYNOPSIS"]:
                self.assertRegex(shown, rf"(?m)^(.\x08)?{heading[0]}")

    @needs("man")
    def test_manual_page_has_every_option_of_the_help(self):
        for command in self.commands():
            page = self.folder / f"ooze-{command}.1"
            page.write_text(self.good("help", "--man", command).stdout)
            self.environment |= {"MANWIDTH": "300", "MANPAGER": "cat", "MANOPT": "--nh --nj"}
            shown = re.sub(".\x08", "", self.shell("man", "--warnings", "-l", str(page)))
            told = self.good("help", command).stdout
            for option in re.findall(r"(?m)^  (-.*)$", told):
                self.assertRegex(shown, rf"(?m)^ +{re.escape(option)}( |$)")

    # -- completion -------------------------------------------------------------------------------

    def test_choices_are_those_that_the_command_takes(self):
        """Words of the completion of an option are all accepted: a wrong one is an error that
        lists them."""
        text = self.good("help", "--completion", "bash").stdout
        for command, option in (("run", "device"), ("run", "mesh-format"), ("mesh", "format"),
                                ("export", "format"), ("bench", "scaling"),
                                ("bench", "clock"), ("plot", "log"), ("help", "completion")):
            with self.subTest(command=command, option=option):
                words = re.search(rf"{command}:--{option}[^)]*\) words='(.*)' ;;", text)[1].split()
                operands = {"plot": ["x", "y"], "bench": ["blocks"], "help": []}
                said = runs.ooze(command, *operands.get(command, ["x"]), f"--{option}", "?",
                                 *(["-o", "y"] if command == "run" else [])).stderr
                listed = re.search(r"must be (.*?)[,;]? not|must be (.*)$", said)
                listed = re.findall(r"[a-z]+", listed[1] or listed[2])
                self.assertEqual(sorted(set(words)), sorted(set(listed) - {"or", "none"}), said)

    @needs("bash")
    def test_bash(self):
        path = self.script("bash", "ooze")
        lines = [*LINES, ("ooze run --device=c", ["cpu", "cuda"]), ("ooze run -", ["--help..."])]
        for line, expected in lines:
            with self.subTest(line):
                words = re.sub("=", " = ", line).split()
                said = self.shell("bash", "--norc", "-c", f"""
                    set -u
                    . {path}
                    COMP_WORDS=({' '.join(words)})
                    COMP_CWORD={len(words) - 1}
                    [ "$(complete -p ooze)" = "complete -F _ooze ooze" ]
                    _ooze 2>&1 >/dev/null
                    printf '%s\\n' "${{COMPREPLY[@]}}" """).split()
                self.compare(said, [word.rstrip("/") for word in expected])

    @needs("bash")
    def test_bash_names_with_spaces(self):
        path = self.script("bash", "ooze")
        (self.folder / "two words.yaml").write_text("")
        said = self.shell("bash", "--norc", "-c", f"""
            . {path}
            COMP_WORDS=(ooze run two) COMP_CWORD=2
            _ooze 2>/dev/null
            printf '%s\\n' "${{COMPREPLY[@]}}" """)
        self.assertEqual(said, "two words.yaml\n")

    @needs("fish")
    def test_fish(self):
        path = self.script("fish", "ooze.fish")
        self.shell("fish", "--no-execute", str(path))
        for line, expected in LINES:
            with self.subTest(line):
                said = self.shell("fish", "--no-config", "-c",
                                  f"source {path}; complete -C '{line}'")
                self.compare([row.split("\t")[0] for row in said.splitlines()], expected)

    def compare(self, said, expected):
        if expected[0].endswith("..."):
            self.assertIn(expected[0].rstrip("."), said)
        else:
            self.assertEqual(sorted(set(said)), sorted(expected))

    @needs("zsh")
    def test_zsh(self):
        """In a terminal: a tab completes the line as far as its completions agree, and a key
        writes the line to a file."""
        folder = self.script("zsh", "_ooze").parent
        self.shell("zsh", "-n", str(folder / "_ooze"))
        master, slave = pty.openpty()
        with subprocess.Popen(["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave,
                              cwd=self.folder, env=self.environment, start_new_session=True) as zsh:
            os.close(slave)
            try:
                self.check_zsh(master, folder)
            finally:
                zsh.kill()
                os.close(master)

    def check_zsh(self, terminal, folder):
        shown = self.folder / "shown"
        self.type(terminal, f"fpath=({folder} $fpath); autoload -Uz compinit; "
                            f"compinit -u -d {self.folder}/dump; setopt no_beep no_list_ambiguous;"
                            f" show() {{ print -r -- $BUFFER >> {shown} }}; zle -N show; "
                            "bindkey '^X^X' show; bindkey '^U' kill-whole-line; "
                            f"print ready > {shown}\n")
        self.wait_for(terminal, shown)
        for line, expected in LINES:
            with self.subTest(line):
                shown.unlink(missing_ok=True)
                self.type(terminal, f"\x15{line}\t\x18\x18\x15")
                self.wait_for(terminal, shown)
                agreed = os.path.commonprefix(expected)
                self.assertEqual(shown.read_text().strip("\n").rstrip(" ="),
                                 line.rpartition(" ")[0] + " " + agreed)

    def wait_for(self, terminal, path):
        end = time.monotonic() + 60
        while not (path.exists() and path.read_text().endswith("\n")):
            self.assertLess(time.monotonic(), end, "zsh does not answer")
            self.type(terminal, "")

    def type(self, terminal, text):
        os.write(terminal, text.encode())
        while select.select([terminal], [], [], 0.02)[0]:
            os.read(terminal, 1 << 16)


if __name__ == "__main__":
    unittest.main(verbosity=2)
