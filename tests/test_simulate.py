#!/usr/bin/env python3
"""The built-in scenes of `apart simulate` hold what docs/simulation.md says: test_simulate.py PROGRAM (python3 standard library only)."""
import json
import os
import pathlib
import pty
import resource
import subprocess
import sys

program = sys.argv[1]
failures = []


def run(*arguments):
    """The JSON of a run, and the processor time it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    out = subprocess.run([program, "simulate", *arguments, "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(out), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def check(name, good, text):
    print("%-10s %s%s" % (name, text, "" if good else "   FAILED"))
    if not good:
        failures.append(name)


def drift(course, keys):
    """The largest change of a vector, relative to its size."""
    rows = list(zip(*(course[k] for k in keys)))
    size = max(sum(x * x for x in row) ** 0.5 for row in rows)
    return max(sum((x - y) ** 2 for x, y in zip(row, rows[0])) ** 0.5 for row in rows) / size


def upright(body):
    """How far the body's own z axis still points up."""
    return body["matrix"][8]


answer, _ = run()
course = answer["course"]
check("cuboids", drift(course, ["px", "py", "pz"]) <= 1e-12, "momentum kept to %.1e" % drift(course, ["px", "py", "pz"]))
check("cuboids", drift(course, ["lx", "ly", "lz"]) <= 1e-12, "angular momentum kept to %.1e" % drift(course, ["lx", "ly", "lz"]))
check("cuboids", drift(course, ["energy"]) <= 1e-6, "energy kept to %.1e" % drift(course, ["energy"]))
check("cuboids", max(course["contacts"]) >= 0 and answer["bodies"][0]["velocity"] != [1, 0, 0], "they met")

answer, _ = run("table")
check("table", answer["course"]["fastest"][-1] < 1e-6, "at rest with %.1e" % answer["course"]["fastest"][-1])
check("table", 0.74 < answer["bodies"][2]["xyz"][2] < 0.9, "on the table, at z = %.4f" % answer["bodies"][2]["xyz"][2])

answer, _ = run("stack")
lean = max(max(abs(x) for x in body["xyz"][:2]) for body in answer["bodies"][1:])
check("stack", lean < 1e-3 and answer["course"]["time"][-1] >= 20 - 1e-9, "stands after 20 s, %.1e off the middle" % lean)
check("stack", answer["course"]["fastest"][-1] < 1e-6, "at rest with %.1e" % answer["course"]["fastest"][-1])

answer, _ = run("dominoes")
check("dominoes", all(upright(body) < 0.5 for body in answer["bodies"][1:]), "all %d lie" % (len(answer["bodies"]) - 1))
film = json.loads(subprocess.run([program, "simulate", "dominoes", "--record", "-"], check=True, capture_output=True, text=True).stdout)
fallen = []
for frame in film["frames"]:
    for number, pose in enumerate(frame["poses"]):
        if pose is not None and 1 - 2 * (pose[3] ** 2 + pose[4] ** 2) < 0.9 and number not in fallen:
            fallen.append(number)
check("dominoes", fallen == list(range(1, 25)), "one after the other")

answer, _ = run("bullet")
bullet = answer["bodies"][0]["xyz"]
check("bullet", bullet[0] < 0.08 and max(answer["course"]["deepest"]) < 2.5e-4, "stopped at x = %.4f" % bullet[0])

answer, seconds = run("pile")
course, time = answer["course"], answer["course"]["time"][-1]
check("pile", len(answer["bodies"]) == 201 and seconds < time, "%.1f s of 200 bodies in %.2f s of one core" % (time, seconds))
check("pile", max(course["deepest_share"]) < 0.01, "deepest penetration %.2f %% of a body's size" % (100 * max(course["deepest_share"])))
check("pile", min(body["xyz"][2] for body in answer["bodies"]) > -1e-3, "nobody is below the floor")

child, terminal = pty.fork()
if child == 0:
    os.execv(program, [program, "simulate", "pile", "--steps", "150"])
shown = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        break
    if not piece:
        break
    shown += piece
os.waitpid(child, 0)
check("pile", b" of 150" in shown and b"\r\x1b[K" in shown, "shows its progress on a terminal")

folder = pathlib.Path(__file__).parent.parent / "apps/simulation"
lines = sum(len(path.read_text().splitlines()) for path in [*folder.glob("*.c"), *folder.glob("*.h")])
check("simulation", 500 < lines <= 1600, "%d lines: to be read in one sitting" % lines)

first = subprocess.run([program, "simulate", "pile", "--steps", "40", "--csv"], check=True, capture_output=True).stdout
for threads in ("2", "4"):
    other = subprocess.run([program, "simulate", "pile", "--steps", "40", "--csv", "--threads", threads], check=True, capture_output=True).stdout
    check("pile", other == first, "the same on %s threads" % threads)
sys.exit(1 if failures else 0)
