"""docs/python-coming-from.md: every example of apart runs; so does what stands beside it where its package is installed.
Where Debian has the library behind a package, that library is asked (peers/). The numbers must be the same."""
import importlib.util
import os
import re
import shutil
import subprocess

import apart
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
PAGE = os.path.join(ROOT, "docs", "python-coming-from.md")
ROBOT = os.path.join(ROOT, "examples", "robot", "arm.urdf")
PEERS = {"fcl": ("fcl.cpp", ["fcl", "eigen3", "ccd"]), "bullet": ("bullet.cpp", ["bullet"]),
         "mujoco": ("mujoco.c", None)}
pytestmark = pytest.mark.skipif(not os.path.isfile(PAGE), reason="the documents are not here")


def examples():
    """(library, number, mark, its code, our code)."""
    if not os.path.isfile(PAGE):
        return []
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    found = []
    for section in text.split("\n## ")[1:]:
        cells = re.findall(r"<td>\s*(?:<!-- (\w+ \w+) -->\n)?```python\n(.*?)```", section, flags=re.S)
        assert len(cells) % 2 == 0
        for i in range(0, len(cells), 2):
            found.append((section.split("\n")[0], i // 2, cells[i][0], cells[i][1], cells[i + 1][1]))
    return found


EXAMPLES = examples()


def prelude():
    with open(PAGE, encoding="utf-8") as file:
        known = {}
        exec(re.search(r"```python\n(.*?)```", file.read(), flags=re.S).group(1), known)
    return known


def run(code):
    known = prelude()
    exec(code.replace('"arm.urdf"', repr(ROBOT)), known)
    return {name: float(value) for name, value in known.items() if not name.startswith("_")
            and not isinstance(value, bool) and hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0}


def name_of(example):
    return "%s-%d" % (re.sub(r"\W+", "-", example[0]), example[1])


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_example(example):
    assert run(example[4]), "an example that says no number"


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_beside_the_package(example):
    modules = set(re.findall(r"^\s*(?:import|from) (\w+)", example[3], flags=re.M))
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing or not modules:
        pytest.skip("not installed: %s" % ", ".join(missing))
    theirs, ours = run(example[3]), run(example[4])
    common = sorted(set(theirs) & set(ours))
    assert common
    for name in common:
        assert theirs[name] == pytest.approx(ours[name], abs=2e-4 if modules & {"pybullet"} else 1e-5), name


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    """The answers of a library: {(example, name): number}."""
    answers = {}

    def ask(library):
        if library not in answers:
            source, packages = PEERS[library]
            folder = tmp_path_factory.mktemp(library)
            compiler = "c++" if source.endswith("cpp") else "cc"
            flags = "-lmujoco" if packages is None else subprocess.run(
                ["pkg-config", "--cflags", "--libs", *packages], capture_output=True, text=True).stdout
            if shutil.which(compiler) is None:
                return None
            built = subprocess.run([compiler, os.path.join(HERE, "peers", source), "-o", str(folder / "peer"),
                                    *flags.split(), "-lm"], capture_output=True, text=True)
            if built.returncode != 0:
                answers[library] = None
                return None
            out = subprocess.run([str(folder / "peer"), str(folder)], capture_output=True, text=True, check=True).stdout
            rows = [line.split() for line in out.splitlines() if len(line.split()) == 3]
            answers[library] = {(row[0], row[1]): float(row[2]) for row in rows}
        return answers[library]
    return ask


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e[2]], ids=name_of)
def test_beside_the_library(example, peer):
    library, key = example[2].split()
    answers = peer(library)
    if answers is None:
        pytest.skip("the library %s is not installed, or does not compile here" % library)
    ours, theirs = run(example[4]), {name: value for (k, name), value in answers.items() if k == key}
    common = sorted(set(ours) & set(theirs))
    assert common, (ours, theirs)
    for name in common:
        assert theirs[name] == pytest.approx(ours[name], abs=1e-4), name


def test_the_page_has_them_all():
    if EXAMPLES:
        known = {example[0] for example in EXAMPLES}
        assert known >= {"trimesh", "python-fcl", "coal (hpp-fcl) and pinocchio", "pybullet", "MuJoCo", "DART"}
        assert len(EXAMPLES) >= 18 and apart.__version__
