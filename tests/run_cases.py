#!/usr/bin/env python3
"""Runs `apart cases` on every case file with every solver and support search, cold and with one shared cache, and judges the answers.

usage: run_cases.py PROGRAM DIRECTORY...     the environment variable APART_CASES may name one more directory
"""
import os
import pathlib
import subprocess
import sys

import check_cases

SOLVERS = ["default", "johnson", "voronoi", "geometric", "least-squares", "volumes"]
SUPPORTS = ["auto", "scan", "climb", "table"]


def runs():
    """Every solver with the default search, every search with the default solver; both again with the shared cache."""
    pairs = [(solver, "auto") for solver in SOLVERS] + [("default", support) for support in SUPPORTS[1:]]
    return [(solver, support, cache) for cache in (None, "shared") for solver, support in pairs]


def answer(program, path, solver, support, cache):
    command = [program, "cases", str(path), "--solver", solver, "--support", support]
    done = subprocess.run(command + (["--cache", cache] if cache else []), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit("%s: exit status %d\n%s" % (" ".join(command), done.returncode, done.stderr))
    return done.stdout


def main(program, directories):
    failed = 0
    for path in sorted(p for d in directories for p in pathlib.Path(d).glob("*.txt")):
        cases = check_cases.read_cases(path)
        judge = check_cases.Judge()
        for solver, support, cache in runs():
            failures = judge.failures(cases, answer(program, path, solver, support, cache))
            print("%-16s %-14s %-6s %-7s %d of %d" % (path.name, solver, support, cache or "cold", len(cases) - len(failures), len(cases)))
            check_cases.report(failures)
            failed += len(failures)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    more = os.environ.get("APART_CASES")
    sys.exit(main(sys.argv[1], sys.argv[2:] + ([more] if more else [])))
