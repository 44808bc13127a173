#!/usr/bin/env python3
"""Checks recordings against docs/recording.md: check_recording.py FILE ... ("-": standard input). Prints one line a file, exits 1 at the first mistake."""
import json
import math
import sys

KINDS = {"plan", "clearance", "simulation", "scene", "toi", "query"}
ROLES = {"moving", "fixed", "obstacle", "link", "tool"}


def expect(condition, what):
    if not condition:
        raise ValueError(what)


def keys(value, required, optional, what):
    expect(isinstance(value, dict), f"{what} is no object")
    for key in required:
        expect(key in value, f"{what}: {key} is missing")
    for key in value:
        expect(key in required or key in optional, f"{what}: {key} is unknown")


def numbers(values, counts, what):
    expect(isinstance(values, list) and len(values) in counts, f"{what}: expected {counts} numbers, got {values}")
    expect(all(isinstance(v, (int, float)) and math.isfinite(v) for v in values), f"{what}: not finite numbers: {values}")


def pose(values, what):
    numbers(values, (7, 12), what)
    rows = [values[3:]] if len(values) == 7 else [values[0:3], values[4:7], values[8:11]]
    for row in rows:
        expect(abs(math.hypot(*row) - 1) < 1e-6, f"{what}: {row} has not length one")


def shape(value, what):
    if "shape" in value:
        keys(value, {"shape"}, set(), what)
        name, _, rest = value["shape"].partition(":")
        numbers([float(v) for v in rest.replace("e+", "e").replace("+", ",").split(",")], range(1, 1 << 20), what)
        return
    keys(value, {"vertices", "faces"}, {"round", "mesh"}, what)
    for vertex in value["vertices"]:
        numbers(vertex, (3,), what)
    for face in value["faces"]:
        expect(len(face) >= 3 and all(0 <= i < len(value["vertices"]) for i in face), f"{what}: face {face}")


def body(value, shapes, what):
    keys(value, {"name", "parts"}, {"role", "colour", "pose"}, what)
    expect(value.get("role", "moving") in ROLES, f"{what}: role {value.get('role')}")
    for part in value["parts"]:
        keys(part, {"shape"}, {"pose", "surface"}, what)
        expect(0 <= part["shape"] < shapes, f"{what}: shape {part['shape']}")
        if "pose" in part:
            pose(part["pose"], what)


def pair(value, bodies, what):
    keys(value, {"a", "b", "distance"}, {"lower", "upper", "point_a", "point_b", "normal", "part_a", "part_b"}, what)
    expect(0 <= value["a"] < bodies and 0 <= value["b"] < bodies and value["a"] != value["b"], f"{what}: bodies {value['a']} {value['b']}")
    numbers([value[k] for k in ("distance", "lower", "upper") if k in value], (1, 2, 3), what)
    for key in ("point_a", "point_b", "normal"):
        if key in value:
            numbers(value[key], (3,), what)
    if "normal" in value and "point_a" in value:
        gap = [b - a - value["distance"] * n for a, b, n in zip(value["point_a"], value["point_b"], value["normal"])]
        size = 1 + max(map(abs, value["point_a"] + value["point_b"]))
        expect(math.hypot(*gap) <= 1e-7 * size, f"{what}: the points are not the distance apart")


def joint(value, number, robot, what):
    moves = {"axis", "limits", "variable"} if value["kind"] != "fixed" and "variable" in value else set()
    keys(value, {"name", "kind", "parent", "origin"} | moves, {"factor", "offset"}, what)
    expect(value["kind"] in {"fixed", "rotary", "continuous", "sliding"}, f"{what}: kind")
    expect(0 <= value["parent"] <= number, f"{what}: the parent comes before the child")
    pose(value["origin"], what)
    if moves:
        expect(abs(math.hypot(*value["axis"]) - 1) < 1e-12, f"{what}: axis")
        expect(len(value["limits"]) == 2 and 0 <= value["variable"] < len(robot["variables"]), what)


def robot(value, bodies):
    keys(value, {"name", "links", "joints", "variables", "pairs"}, {"base", "states", "command"}, "the robot")
    expect(len(value["joints"]) == len(value["links"]) - 1, "one joint less than links")
    for i, link in enumerate(value["links"]):
        keys(link, {"name"}, {"body", "group"}, f"links[{i}]")
        expect(0 <= link.get("body", 0) < len(bodies), f"links[{i}]: body")
    for i, one in enumerate(value["joints"]):
        joint(one, i, value, f"joints[{i}]")
    for i, number in enumerate(value["variables"]):
        expect(value["joints"][number]["variable"] == i, f"variables[{i}]")
    for two in value["pairs"]:
        numbers(two, (2, 3), "a pair")
        expect(two[0] != two[1] and max(two[:2]) < len(bodies), f"the pair {two}")
    carried = {link["body"] for link in value["links"] if "body" in link}
    for i, one in enumerate(bodies):
        expect(("pose" in one) == (i not in carried), f"bodies[{i}]: a pose where the robot does not carry it")
        if "pose" in one:
            pose(one["pose"], f"bodies[{i}]")


def motion(value, variables):
    keys(value, {"t", "q"}, {"v", "a", "lower"}, "the motion")
    for key, rows in value.items():
        expect(len(rows) == len(value["t"]), f"the motion: {key} has {len(rows)} rows")
        for row in rows if key in "qva" else []:
            if row is not None or key == "q":
                numbers(row, (variables,), f"the motion: {key}")
    expect(value["t"] == sorted(value["t"]), "the motion: time falls")


def check(text):
    data = json.loads(text)
    keys(data, {"apart_recording", "kind", "shapes", "bodies", "frames"}, {"title", "units", "up", "paths", "limit", "robot", "motion"}, "the recording")
    expect(next(iter(data)) == "apart_recording" and data["apart_recording"] == 1 and list(data)[-1] == "frames", "order of keys")
    expect(data["kind"] in KINDS, "kind")
    for i, value in enumerate(data["shapes"]):
        shape(value, f"shapes[{i}]")
    for i, value in enumerate(data["bodies"]):
        body(value, len(data["shapes"]), f"bodies[{i}]")
    for path in data.get("paths", []):
        keys(path, {"name", "points"}, set(), "a path")
        for point in path["points"]:
            numbers(point, (3,), "a path")
    expect(("motion" in data) <= ("robot" in data), "a motion of no robot")
    if "robot" in data:
        robot(data["robot"], data["bodies"])
    if "motion" in data:
        motion(data["motion"], len(data["robot"]["variables"]))
    expect(len(data["frames"]) > 0, "no frames")
    before, names = -math.inf, set(data["frames"][0].get("values", {}))
    for i, frame in enumerate(data["frames"]):
        what = f"frames[{i}]"
        keys(frame, {"t", "poses"}, {"pairs", "label", "values", "step"}, what)
        expect(frame["t"] >= before, f"{what}: the time falls")
        before = frame["t"]
        expect(len(frame["poses"]) == len(data["bodies"]), f"{what}: {len(frame['poses'])} poses")
        for value in frame["poses"]:
            if value is not None:
                pose(value, what)
        for value in frame.get("pairs", []):
            pair(value, len(data["bodies"]), what)
        distances = [value["distance"] for value in frame.get("pairs", [])]
        expect(distances == sorted(distances), f"{what}: pairs are not in the order of distance")
        expect(set(frame.get("values", {})) == names, f"{what}: other values")
        numbers(list(frame.get("values", {}).values()), range(0, 1000), what)
        expect(("step" in frame) <= (data["kind"] == "query"), f"{what}: a step")
    return f"{data['kind']}: {len(data['shapes'])} shapes, {len(data['bodies'])} bodies, {len(data['frames'])} frames"


for name in sys.argv[1:]:
    try:
        print(check(sys.stdin.read() if name == "-" else open(name, encoding="utf-8").read()))
    except (ValueError, KeyError, TypeError) as error:
        print(f"{name}: {error}")
        sys.exit(1)
