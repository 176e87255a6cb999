"""The Makefile remembers the GPU part that a build folder was configured with, and configures a
build folder again that was made elsewhere. A small project stands for the sources."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(small NONE)
set(OOZE_CUDA AUTO CACHE STRING "")
message(STATUS "Part cuda: ${OOZE_CUDA}")
set(OOZE_WERROR ON CACHE BOOL "")
foreach(name ooze libooze ooze_help)
  add_custom_target(${name} COMMAND ${CMAKE_COMMAND} -E touch ${name}.built)
endforeach()
"""


class Makefile(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ooze-make-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.checkout = self.folder / "first"
        (self.checkout / "tools").mkdir(parents=True)
        for name in ("Makefile", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.checkout)
        (self.checkout / "CMakeLists.txt").write_text(PROJECT)
        (self.checkout / "tools/install.sh").write_text("#!/bin/sh\n")
        (self.checkout / "tools/demo.sh").write_text("#!/bin/sh\n")
        for script in (self.checkout / "tools").iterdir():
            script.chmod(0o755)

    def make(self, *arguments, folder=None):
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("OOZE_CUDA", "MAKEFLAGS", "MAKELEVEL")}
        done = subprocess.run(["make", *arguments], cwd=folder or self.checkout, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_choice_of_the_gpu_part_stays(self):
        self.assertIn("Part cuda: AUTO\n", self.make())
        self.assertIn("Part cuda: OFF\n", self.make("OOZE_CUDA=OFF"))
        self.assertIn("Part cuda: OFF\n", self.make("demo"))
        self.assertIn("Part cuda: OFF\n", self.make())
        self.assertIn("Part cuda: ON\n", self.make("OOZE_CUDA=ON"))
        self.assertIn("Part cuda: ON\n", self.make())
        self.make("clean")
        self.assertIn("Part cuda: AUTO\n", self.make())

    def test_moved_checkout_is_configured_again(self):
        said = "This checkout has been moved or copied: build is configured again.\n"
        self.make("OOZE_CUDA=OFF")
        copy = self.folder / "a copy"
        shutil.copytree(self.checkout, copy)
        (copy / "build/ooze.built").unlink()
        self.assertTrue(self.make(folder=copy).startswith(said + "Part cuda: OFF\n"))
        self.assertTrue((copy / "build/ooze.built").exists())
        self.assertNotIn("moved", self.make(folder=copy))
        self.assertNotIn("moved", self.make())
        # through a link it is the same folder
        link = self.folder / "link"
        link.symlink_to(self.checkout)
        self.assertNotIn("moved", self.make(folder=link))
        self.checkout.rename(self.folder / "second")
        self.assertTrue(self.make(folder=self.folder / "second").startswith(said))


if __name__ == "__main__":
    unittest.main()
