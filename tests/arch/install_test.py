"""What is installed serves a program that knows nothing of the source tree."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["OOZE_BUILD_DIR"])


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-install-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_command(self, *command, **environment):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              cwd=self.folder,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_example_builds_and_runs(self):
        prefix = self.folder / "a place"  # with a space, as homes have
        self.run_command("cmake", "--install", BUILD, "--prefix", prefix)
        found = next(prefix.rglob("ooze.pc")).parent
        flags = self.run_command("pkg-config", "--cflags", "--libs", "ooze",
                                 PKG_CONFIG_PATH=str(found))
        program = self.folder / "drop"
        source = ROOT / "docs/examples/drop.c"
        self.run_command("sh", "-c", f"cc -Wall -Wextra -Werror '{source}' {flags.strip()} "
                                     f"-o '{program}'")
        library = next(prefix.rglob("libooze.so")).parent
        self.assertRegex(self.run_command(program, LD_LIBRARY_PATH=str(library)),
                         r"^[1-9]\d+ particles after 1 s")
        version = self.run_command(prefix / "bin/ooze", "version").splitlines()[0].split()[1]
        bench = self.run_command(prefix / "bin/ooze", "bench", "blocks", "--small", "--runs", 1,
                                 "--steps", 1, "--warm-up", 0)
        self.assertIn("share/ooze/scenes", bench)  # those that were installed with it
        self.assertEqual(self.run_command("pkg-config", "--modversion", "ooze",
                                          PKG_CONFIG_PATH=str(found)).strip(), version)


if __name__ == "__main__":
    unittest.main(verbosity=2)
