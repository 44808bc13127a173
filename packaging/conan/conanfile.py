"""Conan 2 recipe: conan create packaging/conan."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Apart(ConanFile):
    name = "apart"
    version = "0.2.0"
    license = "MIT"
    description = "Certified distances of convex bodies, meshes and robots"
    topics = ("collision", "distance", "gjk", "robotics", "geometry")
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "openmp": [True, False], "files": [True, False]}
    default_options = {"shared": False, "fPIC": True, "openmp": True, "files": True}

    def export_sources(self):
        top = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, top, self.export_sources_folder)

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def requirements(self):
        if self.options.files:
            self.requires("expat/[>=2.5 <3]")
            self.requires("jansson/[>=2.14 <3]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("APART_BUILD_CLI", "APART_BUILD_TESTS", "APART_BUILD_EXAMPLES"):
            toolchain.cache_variables[option] = False
        toolchain.cache_variables["APART_OPENMP"] = bool(self.options.openmp)
        for option in ("APART_COLLADA", "APART_GLTF"):
            toolchain.cache_variables[option] = bool(self.options.files)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.components["core"].libs = ["apart"]
        self.cpp_info.components["core"].set_property("cmake_target_name", "apart::apart")
        self.cpp_info.components["io"].libs = ["apart-io"]
        self.cpp_info.components["io"].requires = ["core"] + (
            ["expat::expat", "jansson::jansson"] if self.options.files else [])
        self.cpp_info.components["io"].set_property("cmake_target_name", "apart::apart_io")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.components["core"].system_libs = ["m"]
