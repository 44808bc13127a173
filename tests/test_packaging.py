#!/usr/bin/env python3
"""Files for packagers: one version everywhere, recipes that name options, targets and files that exist, a bill of materials that is whole.
test_packaging.py SOURCE_FOLDER. The tools that these recipes are for are not here: functions and classes of the same names stand in."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types

TOP = pathlib.Path(sys.argv[1])
failed = []


def check(holds, what):
    if not holds:
        failed.append(what)


def text(path):
    return (TOP / path).read_text(encoding="utf-8")


def first(pattern, path):
    found = re.search(pattern, text(path), re.M)
    return found.group(1) if found else f"nothing in {path}"


VERSION = first(r"^project\(apart VERSION ([0-9.]+) ", "CMakeLists.txt")
OPTIONS = set(re.findall(r"\b(?:option|set|find_program)\((APART_[A-Z_]+) ", "".join(text(p) for p in ("CMakeLists.txt", "cmake/options.cmake", "src/CMakeLists.txt",
                                                                                 "bindings/python/CMakeLists.txt"))))
TARGETS = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.M))


def versions():
    seen = {"include/apart/base.h": first(r'APART_VERSION_STRING "([^"]+)"', "include/apart/base.h"),
            "packaging/debian/changelog": first(r"^apart \(([^-]+)-", "packaging/debian/changelog"),
            "packaging/vcpkg/vcpkg.json": json.loads(text("packaging/vcpkg/vcpkg.json"))["version"],
            "packaging/conan/conanfile.py": first(r'^    version = "([^"]+)"', "packaging/conan/conanfile.py"),
            "bindings/wasm/package.json": json.loads(text("bindings/wasm/package.json"))["version"],
            "docs/apart.1": first(r'"apart ([^"]+)"', "docs/apart.1"),
            "CHANGELOG.md": first(r"^## \[([0-9.]+)\]", "CHANGELOG.md")}
    for path, version in seen.items():
        check(version == VERSION, f"{path} says version {version}, CMakeLists.txt {VERSION}")


def options_exist(path, names):
    check(names, f"{path} sets no option")
    for name in names:
        check(name in OPTIONS, f"{path} sets {name}, which no CMakeLists.txt knows")


def debian():
    control = text("packaging/debian/control")
    names = re.findall(r"^Package: (\S+)$", control, re.M)
    minor = ".".join(VERSION.split(".")[:2])
    for name in (f"libapart{minor}", f"libapart-io{minor}", "libapart-dev", "apart", "python3-apart", "apart-doc"):
        check(name in names, f"packaging/debian/control has no package {name}")
    for name in names:
        check(any((TOP / "packaging/debian" / f"{name}.{kind}").exists() for kind in ("install", "docs")), f"nothing is installed by {name}")
    options_exist("packaging/debian/rules", re.findall(r"-D(APART_[A-Z_]+)=", text("packaging/debian/rules")))


def vcpkg():
    port = json.loads(text("packaging/vcpkg/vcpkg.json"))
    check({"name", "version", "description", "license", "dependencies"} <= set(port), "vcpkg.json lacks a field")
    check(set(port) <= {"name", "version", "port-version", "description", "homepage", "license", "supports", "dependencies", "features",
                        "default-features"}, "vcpkg.json has an unknown field")
    options_exist("portfile.cmake", re.findall(r"(?:-D|files |openmp )(APART_[A-Z_]+)", text("packaging/vcpkg/portfile.cmake")))
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "try.cmake"
        names = ("vcpkg_check_features", "vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup", "vcpkg_fixup_pkgconfig",
                 "vcpkg_install_copyright")
        script.write_text("".join(f"function({name})\n message(STATUS \"{name} ${{ARGN}}\")\nendfunction()\n" for name in names) +
                          f"set(CURRENT_PORT_DIR {TOP}/packaging/vcpkg)\nset(CURRENT_PACKAGES_DIR {folder}/packages)\n"
                          f"include({TOP}/packaging/vcpkg/portfile.cmake)\nif(NOT EXISTS ${{SOURCE_PATH}}/CMakeLists.txt)\n"
                          "message(FATAL_ERROR \"no sources\")\nendif()\n")
        answer = subprocess.run(["cmake", "-P", str(script)], capture_output=True, text=True, check=False)
        check(answer.returncode == 0, f"portfile.cmake: {answer.stderr}")
        check(all(name in answer.stdout for name in names), "portfile.cmake leaves a step out")


def conan():
    copied, requires, cache, built = [], [], {}, []

    class Recipe:
        def requires(self, what):
            requires.append(what)

    class Named(dict):
        __getattr__ = dict.__getitem__
        __delattr__ = dict.__delitem__

        def rm_safe(self, name):
            self.pop(name, None)

    class Toolchain:
        def __init__(self, recipe):
            self.recipe, self.cache_variables = recipe, cache

        def generate(self):
            pass

    class Maker:
        def __init__(self, recipe):
            self.recipe = recipe

        def __getattr__(self, name):
            return lambda *a, **k: built.append(name)

    class Component:
        def __init__(self):
            self.libs, self.requires, self.system_libs, self.properties = [], [], [], {}

        def set_property(self, key, value):
            self.properties[key] = value

    def copy(_, pattern, source, target):
        copied.append((pattern, source, target))

    modules = {"conan": {"ConanFile": Recipe}, "conan.tools": {}, "conan.tools.files": {"copy": copy},
               "conan.tools.cmake": {"CMake": Maker, "CMakeToolchain": Toolchain, "cmake_layout": lambda recipe: None}}
    for name, content in modules.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(content)
    scope = {"__name__": "conanfile"}
    exec(compile(text("packaging/conan/conanfile.py"), "conanfile.py", "exec"), scope)
    recipe = scope["Apart"]()
    recipe.options = Named(recipe.default_options)
    recipe.settings = Named(os="Linux", arch="x86_64", compiler="gcc", build_type="Release")
    recipe.recipe_folder = str(TOP / "packaging/conan")
    recipe.export_sources_folder = recipe.source_folder = recipe.package_folder = "folder"
    components = {}
    recipe.cpp_info = types.SimpleNamespace(components=types.SimpleNamespace())
    recipe.cpp_info.components = type("Components", (dict,), {"__missing__": lambda self, key: self.setdefault(key, Component())})()
    components = recipe.cpp_info.components
    for step in ("export_sources", "config_options", "configure", "requirements", "layout", "generate", "build", "package", "package_info"):
        getattr(recipe, step)()
    for pattern, source, _ in copied:
        check(source == "folder" or list(pathlib.Path(source).glob(pattern)), f"conanfile.py exports {pattern}, which is not there")
    options_exist("conanfile.py", list(cache))
    check(built == ["configure", "build", "install"], f"conanfile.py builds by {built}")
    check(components["core"].libs == ["apart"] and components["io"].libs == ["apart-io"], "conanfile.py names other libraries")
    for dependency in json.loads(text("packaging/vcpkg/vcpkg.json"))["features"]["files"]["dependencies"]:
        check(any(r.startswith(dependency + "/") for r in requires), f"conanfile.py does not require {dependency}")


def workflows():
    for path in sorted((TOP / ".github/workflows").glob("*.yml")):
        content = path.read_text(encoding="utf-8")
        used = set(re.findall(r"^\s*(?:- )?run: make ([a-z -]+?)(?: [A-Z_]+=.*)?$", content, re.M))
        matrix = re.search(r"target: \[([^\]]*)\]", content)
        names = {name for line in used for name in line.split()} | set(matrix.group(1).replace(" ", "").split(",") if matrix else [])
        check(names, f"{path.name} calls no make target")
        check(names <= TARGETS, f"{path.name} calls {sorted(names - TARGETS)}, which the Makefile has not")
        try:
            import yaml
        except ImportError:
            continue
        check(set(yaml.safe_load(content)) >= {"name", "jobs"}, f"{path.name} has no jobs")


def bill_of_materials():
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / "a.json", pathlib.Path(folder) / "b.json"]
        for file in files:
            answer = subprocess.run([sys.executable, str(TOP / "tools/sbom"), str(file)], capture_output=True, text=True, check=False)
            if answer.returncode != 0 and "not a git repository" in answer.stderr:
                return
            check(answer.returncode == 0, f"tools/sbom: {answer.stderr}")
        if failed:
            return
        check(files[0].read_bytes() == files[1].read_bytes(), "the same tree gives two bills of materials")
        bill = json.loads(files[0].read_text(encoding="utf-8"))
    check(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0" and bill["SPDXID"] == "SPDXRef-DOCUMENT", "no SPDX 2.3 document")
    ids = [bill["SPDXID"]] + [x["SPDXID"] for x in bill["packages"] + bill["files"]]
    check(len(ids) == len(set(ids)), "an SPDX identifier stands twice")
    check(all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in ids), "an SPDX identifier has other characters than allowed")
    for relation in bill["relationships"]:
        check(relation["spdxElementId"] in ids and relation["relatedSpdxElement"] in ids, f"{relation} leads nowhere")
    check(any(p["name"] == "apart" and p["versionInfo"] == VERSION for p in bill["packages"]), "the bill names another version")
    check({"./src/api/level.c", "./include/apart/apart.h"} <= {f["fileName"] for f in bill["files"]}, "the bill lacks sources")


def scripts():
    for path in ("oss-fuzz/build.sh",):
        check(subprocess.run(["bash", "-n", str(TOP / path)], check=False).returncode == 0, f"{path} is no script")
    project = text("oss-fuzz/project.yaml")
    check(re.search(r"^language: c$", project, re.M) is not None, "oss-fuzz/project.yaml names no language")


for step in (versions, debian, vcpkg, conan, workflows, bill_of_materials, scripts):
    step()
for what in failed:
    print(f"packaging: {what}", file=sys.stderr)
print(f"{len(failed)} failures")
sys.exit(1 if failed else 0)
