#!/usr/bin/env python3
"""Runs the apart program's command/expected-output pairs (python3 standard library only).

  run.py [--update] PROGRAM FILE.txt ...

A file holds blocks: a line that starts with '$ ' is a command for sh, the lines below it are what it must print (standard output
and error together), '[exit N]' its exit status if not 0. '...' in an expected line stands for any text; lines that start with '#' and blank
lines between blocks are for the reader. Commands run in a fresh copy of the data directory, with PROGRAM's directory first on the
PATH. --update writes what was printed into the files: read the difference before committing it.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def read_blocks(path):
    """A list of [lines above, command, expected lines]."""
    blocks, lead = [], []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("$ "):
                if blocks:
                    lead = take_tail(blocks[-1][2])
                blocks.append([lead, line[2:], []])
            elif blocks:
                blocks[-1][2].append(line)
            else:
                lead.append(line)
    if blocks:
        take_tail(blocks[-1][2])
    return blocks


def take_tail(expected):
    """Blank and comment lines at the end of a block belong to the next one."""
    tail = []
    while expected and (not expected[-1] or expected[-1].startswith("#")):
        tail.insert(0, expected.pop())
    return tail


def run(command, directory, environment):
    done = subprocess.run(["sh", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)
    lines = done.stdout.decode("utf-8", "backslashreplace").splitlines()
    return lines + (["[exit %d]" % done.returncode] if done.returncode else [])


def line_matches(expected, actual):
    return re.fullmatch(".*".join(re.escape(part) for part in expected.split("...")), actual) is not None


def matches(expected, actual):
    return len(expected) == len(actual) and all(map(line_matches, expected, actual))


def run_file(path, environment, data, update):
    """Returns (blocks run, blocks failed)."""
    count, failed, written = 0, 0, []
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(data, directory, dirs_exist_ok=True)
        for lead, command, expected in read_blocks(path):
            actual = run(command, directory, environment)
            count += 1
            good = matches(expected, actual)
            written += lead + ["$ " + command] + (expected if good else actual)
            if not good:
                failed += 1
                print("%s: $ %s" % (path, command))
                print("".join("  expected | %s\n" % line for line in expected) + "".join("  printed  | %s\n" % line for line in actual))
    if update and failed:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(written) + "\n")
    return count, failed


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    program, *files = arguments[update:]
    if not files:
        sys.exit(__doc__)
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    environment = {"PATH": os.path.dirname(os.path.abspath(program)) + ":" + os.environ.get("PATH", ""), "LC_ALL": "C", "SOURCE": root}
    for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    results = [run_file(path, environment, data, update) for path in files]
    count, failed = (sum(column) for column in zip(*results))
    print("%d commands, %d wrong" % (count, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
