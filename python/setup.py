"""Puts the shared library and the command into the wheel, and names its platform.

Both come from OOZE_BUILD_DIR, or else from build/ of the source tree, where `make` puts them; if
they are not there, CMake builds them first. Everything else is in pyproject.toml."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("OOZE_BUILD_DIR", ROOT / "build"))


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(ooze VERSION ([\d.]+)", text)[1]


def built_files():
    """The library and the command; built where they are missing."""
    files = [BUILD / "libooze.so", BUILD / "ooze"]
    if not all(file.exists() for file in files):
        subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DOOZE_TESTS=OFF"],
                       check=True)
        subprocess.run(["cmake", "--build", BUILD, "--target", "libooze", "ooze"], check=True)
    return files


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        folder = pathlib.Path(self.build_lib) / "ooze" / "lib"
        folder.mkdir(parents=True, exist_ok=True)
        for file in built_files():
            shutil.copy2(file.resolve(), folder / file.name)


class PlatformWheel(bdist_wheel):
    """One wheel per platform for every Python: the library is not an extension module."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    """Is installed into the folder of platform files."""

    def has_ext_modules(self):
        return True


SCRATCH = BUILD / "python" / "made"
SCRATCH.mkdir(parents=True, exist_ok=True)
shutil.rmtree(SCRATCH / "lib", ignore_errors=True)  # no module of an earlier build remains
setup(version=version(), distclass=BinaryDistribution,
      options={"build": {"build_base": str(SCRATCH), "build_lib": str(SCRATCH / "lib")},
               "egg_info": {"egg_base": str(SCRATCH)}},
      cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
