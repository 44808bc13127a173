"""The Python package beside C, in one run: batches that include the conversion from plain arrays, single calls, threads.

    python.py LIBRARY_OF_bench/python.c [PAIRS]

The C side has its arrays ready before it is timed. Each number is the least of several turns, taken in alternation."""
import ctypes
import sys
import time

import apart
import numpy as np

RNG = np.random.default_rng(42)
TURNS = 7


def library(path):
    c = ctypes.CDLL(path)
    doubles = np.ctypeslib.ndpointer(np.float64, flags="C")
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    for name, result, arguments in [
            ("bench_boxes", pointer, [size, doubles, doubles, size, pointer]),
            ("bench_hulls", pointer, [size, size, doubles, doubles, size, pointer]),
            ("bench_run", ctypes.c_double, [pointer, ctypes.c_uint]),
            ("bench_distances", None, [pointer, doubles]),
            ("bench_single", ctypes.c_double, [pointer, size, size, size]),
            ("bench_free", None, [pointer])]:
        function = getattr(c, name)
        function.restype, function.argtypes = result, arguments
    return c


def matrices(count, spread):
    """Random poses as an array of shape (count, 4, 4)."""
    w, x, y, z = (q := RNG.normal(size=(count, 4))).T / np.linalg.norm(q, axis=1)
    m = np.zeros((count, 4, 4))
    m[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1)
    m[:, 1, :3] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1)
    m[:, 2, :3] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    m[:, :3, 3] = RNG.uniform(-spread, spread, (count, 3))
    m[:, 3, 3] = 1
    return m


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(c, name, batch, work, note):
    """One line: C on its arrays, Python from plain arrays, and the ratio."""
    out = {}
    c_best = python_best = 1e9
    for _ in range(TURNS):
        c_best = min(c_best, c.bench_run(batch, 1))
        python_best = min(python_best, seconds(lambda: out.update(rows=work())))
    rows = out["rows"]
    known = np.empty(len(rows))
    c.bench_distances(batch, known)
    assert np.array_equal(known, rows["distance"]), name
    n = len(rows)
    print(f"{name:24s} {1e9 * c_best / n:8.1f} {1e9 * python_best / n:8.1f} {python_best / c_best:6.3f}   {note}", flush=True)


def single(c, batch, second, bodies, calls=200000):
    """Calls of one pair with ready shapes and poses, the loop of Python included."""
    a, b, pose_a, pose_b = bodies
    c_best = python_best = 1e9
    distance = apart.distance

    def work():
        for _ in range(calls):
            distance(a, b, pose_a, pose_b)
    for _ in range(TURNS):
        c_best = min(c_best, c.bench_single(batch, 0, second, calls))
        python_best = min(python_best, seconds(work))
    print(f"{'single call, boxes':24s} {1e9 * c_best / calls:8.1f} {1e9 * python_best / calls:8.1f} "
          f"{1e9 * (python_best - c_best) / calls:6.0f} ns more", flush=True)


def threads(c, name, batch, work):
    best = {(side, n): 1e9 for side in "cp" for n in (1, 2)}
    for _ in range(TURNS):
        for n in (1, 2):
            best["c", n] = min(best["c", n], c.bench_run(batch, n))
            best["p", n] = min(best["p", n], seconds(lambda: work(n)))
    print(f"{name:24s} {best['c', 1] / best['c', 2]:8.2f} {best['p', 1] / best['p', 2]:8.2f}          "
          "times as fast on two threads", flush=True)


def main():
    c = library(sys.argv[1])
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 10**6
    print(f"{n} pairs; nanoseconds a pair\n{'':24s} {'C':>8s} {'Python':>8s}  ratio")
    extents, poses = RNG.uniform(0.2, 1, (2 * n, 3)), matrices(2 * n, 3)
    batch = c.bench_boxes(2 * n, extents, poses, n, None)

    def own_boxes(count=1, **more):
        return apart.distance_batch(apart.boxes(extents[:n]), poses[:n], shapes_b=apart.boxes(extents[n:]),
                                    poses_b=poses[n:], threads=count, **more)
    compare(c, "boxes, all different", batch, own_boxes, "two boxes and two matrices for each pair")
    out = np.empty(n, apart.Result.dtype)
    compare(c, "the same, out=", batch, lambda: own_boxes(out=out), "into an array that is there")
    threads(c, "the same", batch, own_boxes)
    single(c, batch, n, (apart.box(extents[0]), apart.box(extents[n]), apart.pose(poses[0]), apart.pose(poses[n])))
    c.bench_free(batch)
    for bodies in (n // 10, 1000):
        pairs = RNG.integers(0, bodies, (n, 2)).astype(np.uint32)
        batch = c.bench_boxes(bodies, extents, poses, n, pairs.ctypes.data)

        def boxes(count=1):
            return apart.distance_batch(apart.boxes(extents[:bodies]), poses[:bodies], pairs, threads=count)
        compare(c, "boxes", batch, boxes, f"pairs of {bodies} boxes and matrices")
        threads(c, "the same", batch, boxes)
        c.bench_free(batch)
    bodies = 1000
    for corners in (8, 20, 100):
        points = RNG.normal(size=(bodies, corners, 3))
        batch = c.bench_hulls(bodies, corners, points, poses, n, pairs.ctypes.data)

        def hulls(count=1):
            return apart.distance_batch(apart.hulls(points), poses[:bodies], pairs, threads=count)
        compare(c, f"hulls of {corners} points", batch, hulls, f"pairs of {bodies} hulls, built in the call")
        threads(c, "the same", batch, hulls)
        c.bench_free(batch)


main()
