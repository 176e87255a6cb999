"""What is installed serves a program that knows nothing of the source tree."""
import os
import pathlib
import re
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

        shutil.copy(ROOT / "docs/examples/drop.c", self.folder)
        self.install("a place")  # with a space, as homes have

    def install(self, name):
        self.prefix = self.folder / name
        self.run_command("cmake", "--install", BUILD, "--prefix", self.prefix)
        self.packages = next(self.prefix.rglob("ooze.pc")).parent
        self.library = next(self.prefix.rglob("libooze.so")).parent

    def run_command(self, *command, **environment):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              cwd=self.folder,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def check_program(self, program, **environment):
        self.assertRegex(self.run_command(program, **environment),
                         r"^[1-9]\d+ particles after 1 s")

    def shared_libraries(self, program):
        return self.run_command("ldd", program)

    def test_lines_of_the_readme(self):
        """Every `cc` line of the README builds the example, and its program starts."""
        lines = re.findall(r"^    (cc .*)$", (ROOT / "README.md").read_text(), re.M)
        self.assertEqual(len(lines), 2)
        self.install("place")  # the shell splits the output of pkg-config at spaces
        for line in lines:
            with self.subTest(line):
                self.run_command("sh", "-c", line.replace("cc ", "cc -Wall -Wextra -Werror ", 1),
                                 PKG_CONFIG_PATH=str(self.packages))
                self.check_program("./drop", LD_LIBRARY_PATH="")
                self.assertEqual("libooze" in self.shared_libraries("./drop"),
                                 "static" not in line)

    def test_library_path(self):
        flags = self.run_command("pkg-config", "--cflags", "--libs", "ooze",
                                 PKG_CONFIG_PATH=str(self.packages))
        self.run_command("sh", "-c", f"cc drop.c {flags.strip()} -o drop")
        self.check_program("./drop", LD_LIBRARY_PATH=str(self.library))

    def test_cmake_package(self):
        """The CMake lines of the README, with both targets."""
        text = re.search(r"^```cmake\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)[1]
        for target in ("ooze::ooze", "ooze::ooze_static"):
            with self.subTest(target):
                lines = re.sub(r"ooze::ooze\)", target + ")", text)
                (self.folder / "CMakeLists.txt").write_text(
                    "cmake_minimum_required(VERSION 3.25)\nproject(drop LANGUAGES C)\n" + lines)
                shutil.rmtree(self.folder / "made", ignore_errors=True)
                self.run_command("cmake", "-S", ".", "-B", "made",
                                 f"-DCMAKE_PREFIX_PATH={self.prefix}")
                self.run_command("cmake", "--build", "made")
                self.check_program("made/drop", LD_LIBRARY_PATH="")
                self.assertEqual("libooze" in self.shared_libraries("made/drop"),
                                 "static" not in target)

    def test_versions_and_scenes(self):
        version = self.run_command(self.prefix / "bin/ooze", "version").splitlines()[0].split()[1]
        bench = self.run_command(self.prefix / "bin/ooze", "bench", "blocks", "--small", "--runs",
                                 1, "--steps", 1, "--warm-up", 0)
        self.assertIn("share/ooze/scenes", bench)  # those that were installed with it
        for name in ("ooze", "ooze-static"):
            self.assertEqual(self.run_command("pkg-config", "--modversion", name,
                                              PKG_CONFIG_PATH=str(self.packages)).strip(), version)


if __name__ == "__main__":
    unittest.main(verbosity=2)
