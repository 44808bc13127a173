"""The same pairs of hulls by apart and by MuJoCo (npm package @mujoco/mujoco, run by node): do distances and depths agree, and
where they do not, who errs?

    compare.py FOLDER_WITH_THE_PACKAGE [PAIRS]

MuJoCo answers first and hands back the very numbers that it computed with (it keeps vertices as floats, in a frame of its own), so both
see the same bodies to the last bit. Answers agree when they differ by at most 1e-6 of the bodies' size. For a pair where they do not,
apart's independent check (apart_verify, no code shared with the query) is the judge: it proves apart's bounds, which makes MuJoCo wrong,
or refutes them, or cannot decide. The table goes to the standard output and to FOLDER/results.csv."""
import collections
import csv
import json
import os
import subprocess
import sys

import apart
import numpy as np

RNG = np.random.default_rng(20260)
AGREE = 1e-6
COLUMNS = ["agree", "apart wrong", "MuJoCo wrong", "undecided", "MuJoCo refuses", "worst, of the size", "proved"]


# ---- pairs ----

def quaternion():
    q = RNG.normal(size=4)
    return q / np.linalg.norm(q)


def body(vertices, pos=(0, 0, 0), quat=(1, 0, 0, 0)):
    """What both are given: floats, as MuJoCo keeps them."""
    return {"vertices": np.asarray(vertices, dtype=np.float32).astype(float).tolist(), "pos": np.asarray(pos, float).tolist(),
            "quat": np.asarray(quat, float).tolist()}


def cloud():
    return RNG.normal(size=(int(RNG.choice([8, 12, 20, 50, 100])), 3)) * RNG.uniform(0.5, 1.5)


def box(x, y, z):
    return np.array([[i, j, k] for i in (-x, x) for j in (-y, y) for k in (-z, z)])


def turn(points, q):
    w, v = q[0], q[1:]
    return points + 2 * np.cross(v, np.cross(v, points) + w * points)


def at_gap(a, b, gap):
    """Two bodies, the second moved along the normal until about the gap is left; float vertices, turned before."""
    r = apart.distance(apart.hull(np.float32(a)), apart.hull(np.float32(b)), pose_b=[9, 1, 2])
    return body(a), body(b, np.array([9, 1, 2]) - (r.distance - gap) * r.normal)


def random_pair():
    direction = RNG.normal(size=3)
    far = RNG.uniform(0, 6) * direction / np.linalg.norm(direction)
    return body(cloud(), quat=quaternion()), body(cloud(), far, quaternion())


def near_pair():
    gap = RNG.choice([-1, 1]) * 10.0 ** RNG.uniform(-9, -4)
    return at_gap(turn(cloud(), quaternion()), turn(cloud(), quaternion()), gap)


def touching_boxes():
    """Faces, edges or corners that touch exactly: sizes and positions are powers of two."""
    a, b = RNG.choice([0.25, 0.5, 1.0, 2.0], (2, 3))
    shift = RNG.choice([0.0, 0.125, 0.5], 3) * RNG.choice([-1, 1], 3)
    for axis in RNG.permutation(3)[:RNG.integers(1, 4)]:
        shift[axis] = (a + b)[axis]
    return body(box(*a)), body(box(*b), shift)


def parallel_boxes():
    """Faces that are parallel, at a gap or overlapping."""
    a, b = RNG.uniform(0.2, 2, (2, 3))
    shift = RNG.uniform(-1, 1, 3) * (a + b)
    shift[RNG.integers(3)] *= RNG.choice([0.5, 1.5])
    return body(box(*a)), body(box(*b), shift)


def same_place():
    """Concentric bodies, or the same one twice: the deepest overlaps."""
    points = cloud()
    q = quaternion() if RNG.random() < 0.5 else np.array([1.0, 0, 0, 0])
    return body(points), body(points if RNG.random() < 0.5 else cloud(), quat=q)


def plates():
    thin = 10.0 ** RNG.uniform(-6, -3)
    sizes = [box(*RNG.permutation([RNG.uniform(0.5, 2), RNG.uniform(0.5, 2), thin])) for _ in range(2)]
    return body(sizes[0], quat=quaternion()), body(sizes[1], RNG.uniform(-1.5, 1.5, 3), quaternion())


def needles():
    sizes = [box(*RNG.permutation([1.0, 10.0 ** RNG.uniform(-4, -2), 10.0 ** RNG.uniform(-4, -2)])) for _ in range(2)]
    return body(sizes[0], quat=quaternion()), body(sizes[1], RNG.uniform(-0.7, 0.7, 3), quaternion())


def sizes_apart():
    small = cloud() * 10.0 ** RNG.uniform(-5, -3)
    return body(cloud(), quat=quaternion()), body(small, RNG.normal(size=3) * 1.5, quaternion())


def far_from_origin():
    where = RNG.normal(size=3) * 1e4
    return body(cloud(), where, quaternion()), body(cloud(), where + RNG.normal(size=3) * 2, quaternion())


def flat():
    """All points in one plane, or on one line: not a solid."""
    points = cloud()
    points[:, 2] = 0
    if RNG.random() < 0.3:
        points[:, 1] = 0
    return body(points, quat=quaternion()), body(cloud(), RNG.normal(size=3) * 2, quaternion())


KINDS = [("random", random_pair, 1.0), ("near touching, gap 1e-9 to 1e-4", near_pair, 0.2), ("boxes that touch exactly", touching_boxes, 0.1),
         ("boxes with parallel faces", parallel_boxes, 0.1), ("concentric or the same", same_place, 0.1), ("thin plates", plates, 0.1),
         ("needles", needles, 0.1), ("sizes 1 : 1000 to 1 : 100000", sizes_apart, 0.1), ("10 km from the origin", far_from_origin, 0.1),
         ("flat or straight", flat, 0.05)]


# ---- answers ----

def ask_mujoco(folder, pairs, *options):
    asked, answered = os.path.join(folder, "pairs.json"), os.path.join(folder, "answers.json")
    with open(asked, "w", encoding="utf-8") as file:
        json.dump([{"a": a, "b": b} for a, b in pairs], file)
    subprocess.run(["node", os.path.join(folder, "pairs.mjs"), asked, answered, *options], check=True)
    with open(answered, encoding="utf-8") as file:
        return json.load(file)


def geom(g):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = np.reshape(g["mat"], (3, 3)), g["pos"]
    return apart.hull(np.reshape(g["vertices"], (-1, 3))), matrix


def judge(answer, row):
    """Adds one pair to the row of its kind."""
    if "distance" not in answer:
        row["MuJoCo refuses"] += 1
        return
    (a, pose_a), (b, pose_b) = geom(answer["a"]), geom(answer["b"])
    r = apart.distance(a, b, pose_a, pose_b)
    size = a.ball()[1] + b.ball()[1]
    off = max(r.lower - answer["distance"], answer["distance"] - r.upper, 0.0) / size
    verdict = r.verify().verdict
    row["proved"] += verdict == "proved"
    row["worst, of the size"] = max(row["worst, of the size"], abs(answer["distance"] - r.distance) / size)
    narrow = r.upper - r.lower <= AGREE * size
    if off <= AGREE and narrow and verdict != "refuted":
        row["agree"] += 1
    elif verdict == "refuted" or not narrow:
        row["apart wrong"] += 1
    elif verdict == "proved":
        row["MuJoCo wrong"] += 1
    else:
        row["undecided"] += 1


def own_verdict(pair):
    """What apart says where MuJoCo takes no part: is it proved?"""
    a, b = (apart.hull(side["vertices"]) for side in pair)
    poses = [apart.pose(xyz=side["pos"], quat_wxyz=side["quat"]) for side in pair]
    return apart.distance(a, b, *poses).verify().verdict


def main():
    folder, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    kinds = [(name, [make() for _ in range(max(1, int(share * count)))]) for name, make, share in KINDS]
    with open(os.path.join(folder, "node_modules", "@mujoco", "mujoco", "package.json"), encoding="utf-8") as file:
        version = json.load(file)["version"]
    table = []
    for setting, options in [("defaults", ()), ("1000 iterations, tolerance 1e-10", ("1000", "1e-10"))]:
        print(f"\nMuJoCo {version}, {setting}; apart {apart.__version__}\n{'':34s} pairs " + "  ".join(COLUMNS))
        for name, pairs in kinds:
            row = collections.defaultdict(int)
            for answer in ask_mujoco(folder, pairs, *options):
                judge(answer, row)
            cells = [f"{row[c]:.1e}" if c.startswith("worst") else str(row[c]) for c in COLUMNS]
            print(f"{name:34s} {len(pairs):5d} " + "  ".join(cell.rjust(len(c)) for cell, c in zip(cells, COLUMNS)), flush=True)
            table.append([setting, name, len(pairs), *cells])
    refused = [own_verdict(pair) for pair in kinds[-1][1]]
    print(f"\nthe last kind by apart alone: {collections.Counter(refused).most_common()}")
    with open(os.path.join(folder, "results.csv"), "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["mujoco", "kind", "pairs", *COLUMNS], *table])
    return 1 if any(row[4] != "0" for row in table) else 0


sys.exit(main())
