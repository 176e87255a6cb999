"""What is installed serves a program that knows nothing of the source tree."""
import fnmatch
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
        listed = self.run_command(self.prefix / "bin/ooze", "examples")
        self.assertIn("gallery/honey_toast", listed)
        for name in ("ooze", "ooze-static"):
            self.assertEqual(self.run_command("pkg-config", "--modversion", name,
                                              PKG_CONFIG_PATH=str(self.packages)).strip(), version)

    def test_folders_by_pkg_config(self):
        """A program finds the scenes by pkg-config, also in a tree that was moved."""
        moved = self.folder / "moved"
        self.prefix.rename(moved)
        packages = moved / self.packages.relative_to(self.prefix)
        for options, prefix in ([], self.prefix), (["--define-prefix"], moved):
            data = self.run_command("pkg-config", *options, "--variable=datadir", "ooze",
                                    PKG_CONFIG_PATH=str(packages)).strip().replace("\\", "")
            self.assertEqual(pathlib.Path(data), prefix / "share/ooze")
        self.assertTrue((moved / "share/ooze/scenes/gallery/honey_toast.yaml").exists())
        self.assertIn("honey_toast", self.run_command(moved / "bin/ooze", "examples", "gallery"))

    def test_scene_names_the_installed_schema(self):
        """Also in a folder with a space: the line holds a URI."""
        self.run_command(self.prefix / "bin/ooze", "new", "pour")
        first = (self.folder / "pour.yaml").read_text().splitlines()[0]
        schema = self.prefix / "share/ooze/scene.schema.json"
        self.assertEqual(first, f"# yaml-language-server: $schema={schema.resolve().as_uri()}")
        self.assertEqual(schema.read_bytes(), (ROOT / "docs/scene.schema.json").read_bytes())

    def test_help_is_installed_as_the_command_prints_it(self):
        ooze, share = self.prefix / "bin/ooze", self.prefix / "share"
        pages = {path.name for path in (share / "man/man1").iterdir()}
        commands = re.findall(r"(?m)^  ([a-z]+) ", self.run_command(ooze, "help"))
        self.assertEqual(pages, {"ooze.1"} | {f"ooze-{name}.1" for name in commands})
        for place, words in (("man/man1/ooze-run.1", ["--man", "run"]),
                             ("bash-completion/completions/ooze", ["--completion", "bash"]),
                             ("zsh/site-functions/_ooze", ["--completion", "zsh"]),
                             ("fish/vendor_completions.d/ooze.fish", ["--completion", "fish"])):
            self.assertEqual((share / place).read_text(), self.run_command(ooze, "help", *words))

    def test_uninstall_leaves_other_files(self):
        manifest = self.folder / "manifest.txt"
        shutil.copy(BUILD / "install_manifest.txt", manifest)
        other = self.prefix / "share/ooze/scenes/mine.yaml"
        other.write_text("mine\n")
        self.run_command(ROOT / "tools/uninstall.sh", manifest)
        self.assertEqual([path for path in self.prefix.rglob("*") if path.is_file()], [other])
        self.assertFalse((self.prefix / "include/ooze").exists())

    def test_every_installed_file_is_in_one_debian_package(self):
        patterns = {path.stem: path.read_text().split()
                    for path in (ROOT / "packaging/debian").glob("*.install")
                    if path.stem != "python3-ooze"}
        self.assertEqual(set(patterns), {"ooze", "libooze0", "libooze-dev"})
        for path in self.prefix.rglob("*"):
            # Debian has a folder of libraries for each processor; here it may be `lib` itself
            name = re.sub(r"^usr/lib/(?!.*-linux-)", "usr/lib/any/",
                          f"usr/{path.relative_to(self.prefix)}")
            owners = [package for package, names in patterns.items() for pattern in names
                      if fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, pattern + "/*")]
            if not path.is_dir():
                self.assertEqual(len(owners), 1, f"{name}: {owners}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
