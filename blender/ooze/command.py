"""Starts the command `ooze`, follows its progress and states its failures in one sentence."""
import os
import re
import shutil
import signal
import subprocess
import threading

PROGRESS = re.compile(r"(\w+) (\d+)/(\d+)(?:, ([\d,]+) particles)?.*?, ETA ([^,]+)")
LINES_KEPT = 200


class OozeError(Exception):
    """One sentence about what failed and what to do."""


def find(preferred=""):
    """Path of the command: the preferred one, that of the environment variable OOZE, or `ooze`."""
    for name in (preferred, os.environ.get("OOZE", "")):
        if name:
            path = shutil.which(os.path.expanduser(name))
            if not path:
                raise OozeError(f"The command ooze is not at {name}: set its path in the "
                                "preferences of the add-on.")
            return path
    path = shutil.which("ooze")
    if not path:
        raise OozeError("The command ooze is not found: set its path in the preferences of the "
                        "add-on.")
    return path


def environment():
    """Without the libraries of Blender, which the command is not built for."""
    return {key: value for key, value in os.environ.items()
            if key not in ("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONHOME", "PYTHONPATH")}


def sentence(code, lines):
    """Why the command has ended with this exit code, from the lines that it has printed."""
    if code == 130:
        return "The run was cancelled; it can be continued."
    if code in (-signal.SIGKILL, -signal.SIGTERM, 128 + signal.SIGKILL):
        return "The command ooze was killed; the frames that it has written are kept."
    if code < 0:
        return f"The command ooze ended by signal {-code}."
    errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
    if code == 3 and not errors:
        return "The simulation diverged: use a shorter time step."
    if errors:
        hints = [line.strip() for line in lines if line.strip().startswith("hint: ")]
        text = errors[0].rstrip(".")
        text += f" ({hints[0][6:].rstrip('.')})" if hints else ""
        return text[:1].upper() + text[1:] + "."
    last = [line.strip() for line in lines if line.strip()]
    return last[-1] if last else f"The command ooze ended with code {code}."


def run(executable, *arguments, accept=(0,)):
    """Runs a short command to its end and returns what it has printed on stdout."""
    try:
        done = subprocess.run([executable, *map(str, arguments)], capture_output=True, text=True,
                              env=environment(), check=False)
    except OSError as error:
        raise OozeError(f"{executable} cannot be started: {error.strerror}.") from error
    if done.returncode not in accept:
        raise OozeError(sentence(done.returncode, done.stderr.split("\n")))
    return done.stdout


class Process:
    """A long command; a thread reads what it prints."""

    def __init__(self, executable, arguments):
        self.label, self.done, self.total, self.left = str(arguments[0]), 0, 0, ""
        self.lines = []
        try:
            self.child = subprocess.Popen([executable, *map(str, arguments)], text=True,
                                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, env=environment(),
                                          errors="replace")
        except OSError as error:
            raise OozeError(f"{executable} cannot be started: {error.strerror}.") from error
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.child.stderr:
            line = line.rstrip("\n")
            found = PROGRESS.match(line)
            if found:
                self.label, self.left = found[1], found[5]
                self.done, self.total = int(found[2]), int(found[3])
            else:
                self.lines.append(line)
                del self.lines[:-LINES_KEPT]

    def fraction(self):
        return self.done / self.total if self.total else 0.0

    def progress(self):
        if not self.total:
            return f"{self.label} begins"
        return f"{self.label} {self.done} of {self.total}, {self.left} left"

    def poll(self):
        """Exit code, or None while the command runs."""
        code = self.child.poll()
        if code is not None:
            self.reader.join(5)
        return code

    def cancel(self):
        """Asks the command to finish its step and write a checkpoint."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)

    def sentence(self, code):
        return sentence(code, self.lines)
