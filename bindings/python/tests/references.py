"""Counts references: the same calls again and again, good ones and wrong ones, must leave the counts of all arguments, of their
types and of None, True and False as they were, and allocate nothing that stays. Prints the calls that do not, and ends with
status 1. test_references.py runs it, under a debug build of Python (python3-dbg), whose memory is checked, where there is one.

The sum of all counts that a debug build keeps is of no use here: modules that are compiled for any Python, NumPy's and ours,
count without telling it."""
import gc
import sys

import test_safety as safety
from test_properties import SIMPLE

import apart
import numpy as np

ROUNDS, CALLS = 3, 12


def wrong_calls(call, things, seed, count):
    """Calls with arguments that are nearly right, as test_safety makes them."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        some = [things[i] for i in rng.integers(0, len(things), rng.integers(0, 5))]
        try:
            call(*some)
        except safety.ALLOWED:
            pass
    some = None


def good_calls():
    box, ball, points = apart.box([1, 1, 1]), apart.sphere(1), np.eye(4)[:, :3]
    r = apart.distance(box, ball, pose_b=[5, 0, 0], cache=apart.Cache(), stats=apart.stats(), trace=apart.Trace())
    for name in dir(r):
        if not name.startswith("__"):
            getattr(r, name)
    r.verify().lower, r.in_frame(apart.pose(xyz=(1, 0, 0))), repr(r), r.__reduce__()
    apart.distance_batch(apart.boxes(np.ones((3, 3))), np.tile(np.eye(4), (3, 1, 1)), [[0, 1]], caches=apart.caches(1))
    apart.hulls(np.ones((2, 4, 3)) * np.arange(4)[None, :, None] ** np.arange(3))[1].hull.vertices
    apart.compound([box, ball], np.zeros((2, 3)))[1]
    apart.distance_nd(points, points + 2).__reduce__()
    apart.support_shape(lambda d: d, [0, 0, 0], radius=2).support([1, 0, 0])
    try:
        apart.distance(apart.support_shape(lambda d: 1 / 0, [0, 0, 0], radius=2), box)
    except ZeroDivisionError:
        pass
    world = apart.World()
    world.add(box, [0, 0, 0])
    world.add(ball, [3, 0, 0])
    world.below(9), world.near(box, [1, 0, 0]), world.raycast([9, 0, 0], [-1, 0, 0]), world.stats(), world.to_bytes()
    world.restore(world.snapshot())
    apart.time_of_impact(ball, box, apart.motion_velocity(start=[5, 0, 0], linear=[-9, 0, 0])).at


def counts(things):
    kinds = [type(thing) for thing in things]
    return [sys.getrefcount(thing) for thing in [*things, *kinds, None, True, False, apart.Result.dtype, apart.Error]]


def grows(left):
    """A few blocks a run come and go in Python itself, also where NumPy is called; a block a call would be a leak."""
    return left[0] > 0 or left[1] >= CALLS


def growth(work, things, rounds=ROUNDS, before=2):
    """What each of a few runs leaves behind: the largest growth of a count, and of the number of blocks of memory. The runs
    before them fill caches: Python's own, too, which takes a while; so what seems to grow is measured again."""
    for _ in range(before):
        work()
    gc.collect()
    first, blocks = counts(things), sys.getallocatedblocks()
    for _ in range(rounds):
        work()
    gc.collect()
    blocks = sys.getallocatedblocks() - blocks
    left = max(b - a for a, b in zip(first, counts(things))) // rounds, blocks // rounds
    return left if not grows(left) or rounds > ROUNDS else growth(work, things, 40, 400)


def main():
    things, grown = safety.strange(), {}
    grown["good calls"] = growth(good_calls, things)
    calls = {name: getattr(apart, name) for name in safety.FUNCTIONS}
    assert set(call.__name__ for call in SIMPLE) <= set(calls)
    for thing in safety.objects():
        for name in dir(type(thing)):
            if not name.startswith("__") and name not in ("write", "plan", "add_mesh", "propose", "add_note", "add_link",
                                                          "add_part", "add_joint", "add_state", "add_robot", "add", "move"):
                if callable(getattr(type(thing), name)):
                    calls[type(thing).__name__ + "." + name] = getattr(thing, name)
    for seed, (name, call) in enumerate(sorted(calls.items())):
        grown[name] = growth(lambda: wrong_calls(call, things, seed, CALLS), things)
    leaks = {name: left for name, left in grown.items() if grows(left)}
    print(len(grown), "calls;", leaks)
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main())
