"""Every public function of the C headers is reachable from Python: the headers, reach.txt, the sources of the module and
the package itself are compared."""
import functools
import glob
import os
import re

import apart
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
BINDING = os.path.dirname(HERE)
HOW_TO_ADD = """
To add a function: call it in a file of bindings/python/src, give it a word (a method or a function of the package), describe
the word in bindings/python/apart/__init__.pyi, and write the line 'FUNCTION WORD' into bindings/python/tests/reach.txt.
A function that has no meaning in Python gets the line 'FUNCTION - REASON'."""


def headers():
    for core in (os.path.join(BINDING, "core"), os.path.dirname(os.path.dirname(BINDING))):
        found = sorted(glob.glob(os.path.join(core, "include", "apart", "*.h")))
        if found:
            return found
    pytest.skip("the public headers are not here")


def public_functions():
    for path in headers():
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for declaration in re.findall(r"^APART_API\b([^;]*);", text, flags=re.M):
            yield re.search(r"\b(apart_\w+)\s*\(", declaration).group(1)


def rows():
    with open(os.path.join(HERE, "reach.txt"), encoding="utf-8") as file:
        lines = [line.split(None, 1) for line in file if line.strip() and not line.startswith("#")]
    return {function: word.strip() for function, word in lines}


def test_every_function_has_a_row():
    known, declared = rows(), set(public_functions())
    assert len(declared) > 200
    missing = sorted(declared - set(known))
    assert not missing, "not reachable from Python: %s%s" % (", ".join(missing), HOW_TO_ADD)
    gone = sorted(set(known) - declared)
    assert not gone, "in reach.txt, but in no header any more: %s" % ", ".join(gone)


def test_every_word_exists():
    for function, word in rows().items():
        if not word.startswith("- "):
            assert functools.reduce(lambda at, name: getattr(at, name, None), word.split("."), apart) is not None or \
                word == "Error.status", "%s: the package has no %s" % (function, word)


def test_every_function_is_called():
    sources = "".join(open(path, encoding="utf-8").read() for path in glob.glob(os.path.join(BINDING, "src", "*.c")))
    called = set(re.findall(r"\bapart_\w+", re.sub(r'"[^"\n]*"', "", sources)))
    for function, word in rows().items():
        if word.startswith("- "):
            assert len(word) > 6
        else:
            assert function in called, "no file of bindings/python/src uses %s" % function


def test_everything_has_words_of_its_own():
    for name in dir(apart):
        thing = getattr(apart, name)
        if not name.startswith("_") and callable(thing):
            assert thing.__doc__, "%s has no docstring" % name
