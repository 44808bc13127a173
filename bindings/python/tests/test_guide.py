"""The examples of docs/python.md, one after the other, and that of the package's README."""
import os
import re

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))


@pytest.mark.parametrize("page", ["docs/python.md", "bindings/python/README.md"])
def test_examples(page, monkeypatch):
    if not os.path.isfile(os.path.join(ROOT, page)):
        pytest.skip("the documents are not here")
    monkeypatch.chdir(ROOT)
    with open(page, encoding="utf-8") as file:
        codes = re.findall(r"```python\n(.*?)```", file.read(), flags=re.S)
    known = {}
    for code in codes:
        exec(code, known)
    assert codes and "apart" in known
