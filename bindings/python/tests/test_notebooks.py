"""The notebooks of examples/python run from start to end, in a kernel of this Python; their cells assert things."""
import glob
import importlib.util
import json
import os
import subprocess
import sys

import apart
import pytest

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples", "python")
NEEDED = ["nbconvert", "ipykernel", "matplotlib", "scipy"]
missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(missing), reason="not installed: " + ", ".join(missing))


def environment(folder):
    """A kernel of this Python with this package, and no settings of the user's."""
    kernel = folder / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3",
        "language": "python"}))
    package = os.path.dirname(os.path.dirname(os.path.abspath(apart.__file__)))
    return dict(os.environ, JUPYTER_DATA_DIR=str(folder), JUPYTER_CONFIG_DIR=str(folder / "none"), PYTHONPATH=package,
                IPYTHONDIR=str(folder / "ipython"), MPLCONFIGDIR=str(folder), PYDEVD_DISABLE_FILE_VALIDATION="1")


def run(notebook, folder):
    words = ["--to", "notebook", "--execute", "--output-dir", str(folder), "--ExecutePreprocessor.timeout=200", notebook]
    return subprocess.run([sys.executable, "-m", "nbconvert", *words], env=environment(folder), capture_output=True, text=True)


def notebooks():
    return sorted(glob.glob(os.path.join(EXAMPLES, "*.ipynb"))) or [None]


@pytest.mark.parametrize("path", notebooks(), ids=lambda p: os.path.basename(p or "none"))
def test_notebook(path, tmp_path):
    if path is None:
        pytest.skip("the examples are not here")
    done = run(path, tmp_path)
    assert done.returncode == 0, done.stderr[-4000:]


def test_notebooks_have_no_outputs_and_short_lines():
    for path in filter(None, notebooks()):
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        for cell in cells:
            assert not cell.get("outputs") and cell.get("execution_count") is None, path
            assert max(len(line) for line in cell["source"]) <= 121, "%s: %s" % (path, cell["source"])
    if notebooks() != [None]:
        assert len(notebooks()) >= 6


def test_a_notebook_that_fails_is_noticed(tmp_path):
    wrong = {"cells": [{"cell_type": "code", "id": "a", "metadata": {}, "source": ["assert 1 == 2"], "outputs": [],
                        "execution_count": None}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "wrong.ipynb").write_text(json.dumps(wrong))
    assert run(str(tmp_path / "wrong.ipynb"), tmp_path).returncode != 0
