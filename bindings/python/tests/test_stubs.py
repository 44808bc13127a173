"""The type stubs say what is there, and accept a program as users write it."""
import importlib.util
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
pytestmark = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")

PROGRAM = """
import apart
import numpy as np

r = apart.distance(apart.hull(np.zeros((4, 3))), apart.box([1, 2, 3]), pose_b=np.eye(4), depth="none", cache=apart.Cache())
gap: float = r.distance + r.lower
proved: bool = r.verify().proved
rows = apart.distance_batch(apart.boxes(np.ones((2, 3))), np.zeros((2, 4, 4)), [[0, 1]], threads=2)
column = rows["distance"]
cell = apart.Cell(apart.Robot("arm.urdf", srdf="arm.srdf"), {"box": (apart.box([1, 1, 1]), apart.pose(xyz=(1, 2, 3)))})
near = cell.distances(np.zeros((5, 6)), threads=2)["lower"]
word: str = cell.plan([0.0, 1.0], {"elbow": 1.0}).outcome
"""


def run(*words):
    folder = os.path.dirname(os.path.dirname(__import__("apart").__file__))
    environment = dict(os.environ, MYPYPATH=folder, PYTHONPATH=folder)
    return subprocess.run([sys.executable, "-m", *words], env=environment, capture_output=True, text=True)


def test_stubs_are_those_of_the_package():
    done = run("mypy.stubtest", "apart")
    wrong = [line for line in done.stdout.splitlines() if line.startswith("error:") and "apart._apart" not in line]
    assert not wrong, done.stdout


def test_programs_are_checked(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = run("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program))
    assert done.returncode == 0, done.stdout
    program.write_text(PROGRAM.replace("gap: float = r.distance", "gap: str = r.distance"))
    assert run("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)).returncode == 1
