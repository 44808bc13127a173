"""What must never crash: wrong arguments, threads, forks; and what must not grow: memory and reference counts."""
import asyncio
import concurrent.futures
import gc
import multiprocessing
import os
import sys
import threading

import apart
import numpy as np
import pytest

RNG = np.random.default_rng(31)
ALLOWED = (ValueError, TypeError, OverflowError, MemoryError, RuntimeError, IndexError, AttributeError)


def strange():
    """Things that nobody should pass, and things that are nearly right."""
    points = RNG.normal(size=(20, 3))
    frozen = points.copy()
    frozen.setflags(write=False)
    return [None, True, 0, -1, 2**70, 1.5, float("nan"), float("inf"), "x", "", b"abc", [], [[]], [1, 2], [1, 2, 3],
            [1, [2], 3], (), {}, {"a": 1}, object(), points, points[::2], points[::-1], points[:, ::-1], points.T, frozen,
            points.astype(np.float32), points.astype(np.int8), points.astype(complex), points.astype(object), points > 0,
            points.astype(">f8"), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(3), np.full((4, 3), np.nan),
            np.full((4, 3), np.inf), np.full((4, 3), 1e308), np.full((4, 3), 5e-324), np.eye(4), np.zeros((2, 4, 4)),
            np.eye(4, dtype=np.float32), np.array(3.0), np.zeros((2, 2, 2, 2)), np.zeros(7), np.zeros((2, 7)),
            np.frombuffer(b"\0" * 49, dtype=np.uint8)[1:].view(np.float64), np.array(["a"]), np.arange(6).reshape(2, 3),
            np.array([[0, 1, 2**40]]), np.array([[0, -1, 2]]), np.datetime64("2020-01-01"), memoryview(b"1234"),
            np.lib.stride_tricks.as_strided(points, (5, 3), (0, 8)), lambda *a: None, lambda d: d, apart.sphere(1),
            apart.circle(1), apart.pose(), apart.poses(np.zeros((3, 3))), apart.boxes(np.ones((3, 3))), apart.Cache(),
            apart.hull(points), apart.distance(apart.sphere(1), apart.sphere(1)), apart.stats(), apart.Trace(), apart.World,
            apart.DepthCache(), apart.half_space([0, 0, 1], 0)]


SLOW = {"show", "read_mesh", "read_cases", "load"}
FUNCTIONS = sorted(name for name in dir(apart) if not name.startswith("_") and callable(getattr(apart, name))
                   and name not in SLOW and name != "Error")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_strange_arguments(name):
    call, things, rng = getattr(apart, name), strange(), np.random.default_rng(sum(map(ord, name)))
    words = ["pose_a", "pose_b", "pairs", "threads", "cache", "solver", "depth", "cutoff", "stats", "trace", "out", "caches",
             "statuses", "counts", "order", "length", "surface", "depth_cache", "nonsense", "tolerance"]
    for _ in range(250):
        some = [things[i] for i in rng.integers(0, len(things), rng.integers(0, 6))]
        named = {words[i]: things[j] for i, j in zip(rng.integers(0, len(words), 2), rng.integers(0, len(things), 2))}
        if rng.random() < 0.6:
            named = {}
        try:
            call(*some, **named)
        except ALLOWED:
            pass


def objects():
    robot = apart.Robot(name="r")
    robot.add_link("a")
    robot.add_link("b")
    robot.add_part(0, apart.sphere(0.1))
    robot.add_part(1, apart.sphere(0.1), [1, 0, 0])
    robot.add_joint("j", "a", "b")
    world = apart.World()
    world.add(apart.sphere(1))
    mesh = apart.mesh(np.eye(4)[:, :3], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    finished = apart.Robot(name="s")
    finished.add_link("a")
    finished.add_part(0, apart.sphere(0.1))
    finished.add_link("b")
    finished.add_part(1, apart.sphere(0.1), [1, 0, 0])
    finished.add_joint("j", "a", "b", lower=-1, upper=1)
    finished.finish()
    return [apart.pose(), apart.poses(np.zeros((2, 3))), apart.sphere(1), apart.hull(np.eye(3)), apart.boxes(np.ones((2, 3))), mesh,
            apart.compound([apart.sphere(1)]), apart.cover(mesh), apart.distance(apart.sphere(1), apart.sphere(1)), apart.Cache(),
            apart.DepthCache(), apart.Trace(), apart.motion_rest(apart.pose()), world, robot, finished,
            apart.Cell(finished, {"x": apart.sphere(0.1)}), apart.distance_nd(np.eye(3), np.eye(3) + 1)]


def test_strange_arguments_of_methods():
    things, rng = strange(), np.random.default_rng(5)
    for _ in range(6):
        for thing in objects():
            for name in dir(type(thing)):
                if name.startswith("__") and name not in ("__getitem__", "__len__", "__matmul__", "__reduce__", "__repr__"):
                    continue
                if name in ("write", "plan", "add_mesh", "propose"):
                    continue
                for _ in range(2):
                    some = [things[i] for i in rng.integers(0, len(things), rng.integers(0, 4))]
                    try:
                        attribute = getattr(thing, name)
                        if callable(attribute):
                            attribute(*some)
                    except ALLOWED:
                        pass
    gc.collect()


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def small_work(box, ball, pose, hull, points, matrices):
    r = apart.distance(box, ball, pose_b=pose)
    r.a, r.relation, r.features
    apart.distance(hull, box, pose_b=matrices[0], depth="none")
    apart.hull(points).vertices
    apart.distance_batch(apart.boxes(points[:4]), matrices, [[0, 1], [2, 3]])
    try:
        apart.box([-1, 1, 1])
    except apart.Error:
        pass
    try:
        apart.distance(box, 3)
    except TypeError:
        pass
    apart.contact(box, box).points
    apart.distance_gradient(box, ball, pose_b=pose).result


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_nothing_leaks():
    points = np.abs(RNG.normal(size=(12, 3)))
    work = (apart.box([1, 1, 1]), apart.sphere(1), apart.pose(xyz=(5, 0, 0)), apart.hull(points), points,
            np.array([apart.pose(xyz=(i, 0, 0)).matrix for i in range(4)]))
    counts = [sys.getrefcount(thing) for thing in work]
    for _ in range(2000):
        small_work(*work)
    gc.collect()
    before = resident()
    for _ in range(20000):
        small_work(*work)
    gc.collect()
    assert resident() - before < 1 << 20
    assert [sys.getrefcount(thing) for thing in work] == counts
    before = resident()
    box, ball, pose = work[:3]
    for _ in range(10**6):
        apart.distance(box, ball, pose_b=pose)
    assert resident() - before < 1 << 19
    types = {type(thing): sys.getrefcount(type(thing)) for thing in work}
    [apart.distance(box, ball) for _ in range(1000)]
    assert all(abs(sys.getrefcount(kind) - count) < 10 for kind, count in types.items())


def test_cycles_are_collected():
    class Body:
        def __call__(self, direction):
            return direction / np.linalg.norm(direction)
    import weakref
    body = Body()
    body.shape = apart.support_shape(body, [0, 0, 0], radius=1)
    watch = weakref.ref(body)
    del body
    gc.collect()
    assert watch() is None


def answer(seed):
    rng = np.random.default_rng(seed)
    shapes, poses = apart.hulls(rng.normal(size=(40, 15, 3))), rng.normal(size=(40, 3)) * 4
    pairs = rng.integers(0, 40, (300, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    batch = apart.distance_batch(shapes, apart.poses(poses), pairs, threads=2)["distance"]
    single = [apart.distance(shapes[i], shapes[j], poses[i], poses[j]).distance for i, j in pairs[:50]]
    return batch.tobytes() + np.array(single).tobytes()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method):
    expected = [answer(seed) for seed in range(4)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(answer, range(4)).get(100) == expected


def test_threads_and_executors():
    expected = [answer(seed) for seed in range(6)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(answer, range(6))) == expected

    async def ask():
        loop = asyncio.get_running_loop()
        return await asyncio.gather(*(loop.run_in_executor(None, answer, seed) for seed in range(6)))
    assert asyncio.run(ask()) == expected


def test_objects_shared_by_threads():
    h = apart.hull(RNG.normal(size=(200, 3)))
    own = apart.support_shape(lambda d: d / np.linalg.norm(d), [0, 0, 0], radius=1)
    cache, stats, world, errors = apart.Cache(), apart.stats(), apart.World(), []
    ids = [world.add(apart.sphere(0.4), [i, 0, 0]) for i in range(30)]
    depth = apart.DepthCache()

    def work(k):
        try:
            rng = np.random.default_rng(k)
            for _ in range(60):
                at = rng.normal(size=3) * 3
                r = apart.distance(h, h, pose_b=at, cache=cache, stats=stats)
                assert r.lower <= apart.distance(h, h, pose_b=at).upper
                assert apart.distance(own, h, pose_a=at + 9).distance > 0
                world.move(ids[rng.integers(30)], rng.normal(size=3) * 5)
                world.below(0.5)
                world.near(h, at, count=3)
                try:
                    apart.distance(h, h, pose_b=at * 0.1, depth_cache=depth)
                except RuntimeError:
                    pass
        except BaseException as error:
            errors.append(error)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and stats.queries == 240


def test_the_gil_is_released():
    h = apart.hull(RNG.normal(size=(3000, 3)))
    poses = np.tile(np.eye(4), (150000, 1, 1))
    counter, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counter[0] += 1
            stop.wait(0.0005)
    thread = threading.Thread(target=count)
    thread.start()
    before = counter[0]
    apart.distance_batch(h, poses, shapes_b=h, poses_b=apart.pose(xyz=(9, 0, 0)))
    during = counter[0] - before
    stop.set()
    thread.join()
    assert during >= 8
