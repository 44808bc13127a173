"""Builds the wheel and the sdist of the package `apart`: CMake compiles the module, setuptools packs it.

In a checkout the C sources are in ../..; an sdist has a copy of them in core/, and builds from itself.
"""
import os
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
CORE = os.path.join(HERE, "core")
if not os.path.isdir(CORE):
    CORE = os.path.dirname(os.path.dirname(HERE))
# What the module is compiled from.
NEEDED = ["CMakeLists.txt", "LICENSE", "cmake", "include", "src"]


def version():
    """The version of the C library."""
    with open(os.path.join(CORE, "include", "apart", "base.h"), encoding="utf-8") as header:
        return re.search(r'APART_VERSION_STRING "([^"]+)"', header.read()).group(1)


class CMakeBuild(build_ext):
    """The module, compiled by CMake for the Python that runs this."""

    def get_ext_filename(self, fullname):
        return os.path.join(*fullname.split(".")) + ".abi3.so"

    def build_extension(self, ext):
        folder = os.path.abspath(os.path.join(self.build_temp, "cmake"))
        os.makedirs(folder, exist_ok=True)
        subprocess.check_call(["cmake", "-S", HERE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                               "-DAPART_PYTHON=" + sys.executable])
        jobs = os.environ.get("JOBS", str(os.cpu_count() or 2))
        subprocess.check_call(["cmake", "--build", folder, "-j", jobs, "--target", "apart_python"])
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(folder, "apart", "_apart.abi3.so"), target)


class WithCore(sdist):
    """An sdist with the C sources in core/."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in NEEDED:
            source, target = os.path.join(CORE, name), os.path.join(base_dir, "core", name)
            if os.path.isdir(source):
                shutil.copytree(source, target)
            else:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy(source, target)


class Abi3Wheel(bdist_wheel):
    """One wheel for every Python from 3.11 on."""

    def get_tag(self):
        return ("cp311", "abi3", super().get_tag()[2])


setup(version=version(), ext_modules=[Extension("apart._apart", sources=[])],
      cmdclass={"build_ext": CMakeBuild, "sdist": WithCore, "bdist_wheel": Abi3Wheel})
