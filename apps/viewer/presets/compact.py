#!/usr/bin/env python3
"""A recording in few bytes, for the viewer's stories: compact.py EVERY < full.json > small.json

Keeps every EVERY-th frame and the last, the nearest pair alone with its points, and six digits; of a robot and its motion nine.
"""
import json
import sys


def short(value, digits=6):
    if isinstance(value, float):
        rounded = float("%.*g" % (digits, value))
        return 0 if abs(rounded) < 1e-9 else int(rounded) if rounded == int(rounded) else rounded
    if isinstance(value, list):
        return [short(item, digits) for item in value]
    if isinstance(value, dict):
        return {key: short(item, 9 if key in ("robot", "motion") else digits) for key, item in value.items()}
    return value


def fill(frames):
    """null means "as before": frames that are left out must not take their poses with them."""
    last = [[0, 0, 0, 0, 0, 0, 1]] * len(frames[0]["poses"])
    for frame in frames:
        last = [before if pose is None else pose for before, pose in zip(last, frame["poses"])]
        frame["poses"] = last


def thin(frames, every):
    kept, before = [], None
    for i, frame in enumerate(frames):
        if i % every != 0 and i != len(frames) - 1 and "label" not in frame:
            continue
        poses = short(frame["poses"])
        frame["poses"] = [None if before is not None and pose == before[k] else pose for k, pose in enumerate(poses)]
        before = poses
        frame["pairs"] = [{key: pair[key] for key in ("a", "b", "distance", "point_a", "point_b") if key in pair} for pair in frame.get("pairs", [])[:1]]
        kept.append(short(frame))
    return kept


recording = json.load(sys.stdin)
fill(recording["frames"])
motion = recording.get("motion", {})
for key in [key for key in motion if all(row is None for row in motion[key])]:
    del motion[key]
frames = thin(recording.pop("frames"), int(sys.argv[1]))
head = json.dumps(short(recording), separators=(",", ":"))
lines = ",\n".join(json.dumps(frame, separators=(",", ":")) for frame in frames)
print('%s,"frames":[\n%s\n]}' % (head[:-1], lines))
