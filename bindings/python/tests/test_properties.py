"""Random arguments by hypothesis: whatever arrays come, the answer is right or an exception, never a crash; and what must hold
for every pair of bodies."""
import array
import ctypes
import pickle

import apart
import numpy as np
import pytest

pytest.importorskip("hypothesis", reason="python3-hypothesis is not installed")
from hypothesis import HealthCheck, given, settings      # noqa: E402
from hypothesis import strategies as st                  # noqa: E402
from hypothesis.extra import numpy as hnp                # noqa: E402

FEW = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
ALLOWED = (ValueError, TypeError, OverflowError, MemoryError, RuntimeError, IndexError, AttributeError)
DTYPES = st.one_of(hnp.floating_dtypes(), hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(), hnp.boolean_dtypes(),
                   hnp.complex_number_dtypes(), hnp.unicode_string_dtypes(), hnp.datetime64_dtypes())


@st.composite
def arrays(draw):
    """Arrays of any type, shape, strides and order, also read-only."""
    made = draw(hnp.arrays(draw(DTYPES), draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7))))
    for axis in range(made.ndim):
        made = made[(slice(None),) * axis + (slice(None, None, draw(st.sampled_from([1, -1, 2]))),)]
    if made.ndim > 1 and draw(st.booleans()):
        made = made.T
    if draw(st.booleans()):
        made.setflags(write=False)
    return made


VALUES = st.one_of(arrays(), st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4),
                   st.lists(st.floats(), max_size=5), st.lists(st.lists(st.floats(), max_size=4), max_size=4),
                   st.binary(max_size=16), st.dictionaries(st.text(max_size=2), st.floats(), max_size=2))
SIMPLE = [apart.point, apart.points, apart.hull, apart.hulls, apart.box, apart.boxes, apart.spheres, apart.ellipsoids,
          apart.segments, apart.triangles, apart.polygon, apart.pose, apart.poses, apart.mesh, apart.shapes, apart.compound,
          apart.hull_from_bytes, apart.mesh_from_bytes, apart.compound_from_bytes, apart.world_from_bytes, apart.sphere,
          apart.capsules, apart.cylinders, apart.cones, apart.motion_velocity, apart.cover, apart.caches, apart.sincos]


@FEW
@given(st.sampled_from(SIMPLE), st.lists(VALUES, max_size=3))
def test_constructors(call, values):
    try:
        call(*values)
    except ALLOWED:
        pass


@FEW
@given(VALUES, VALUES, VALUES, VALUES)
def test_batches(poses, pairs, out, statuses):
    try:
        apart.distance_batch(apart.boxes(np.ones((4, 3))), poses, pairs, out=out, statuses=statuses)
    except ALLOWED:
        pass


NUMBERS = st.floats(-100, 100)
POINTS = hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.just(3)), elements=NUMBERS)
DOUBLES = st.floats(allow_nan=True, allow_infinity=True)


@FEW
@given(POINTS, POINTS, st.tuples(NUMBERS, NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_bounds_hold_for_every_pair(a, b, xyz, rpy):
    pose = apart.pose(xyz=xyz, rpy=rpy)
    r = apart.distance(apart.points(a), apart.points(b), pose_b=pose)
    there = pose.apply(b)
    nearest = np.sqrt(((a[:, None] - there[None]) ** 2).sum(axis=2)).min()
    assert r.lower <= r.upper and r.lower <= nearest * (1 + 1e-12) + 1e-9
    assert r.verify().verdict != "refuted"
    swapped = apart.distance(apart.points(b), apart.points(a), pose_a=pose)
    assert swapped.lower <= r.upper and r.lower <= swapped.upper
    copy = pickle.loads(pickle.dumps(r))
    assert (copy.lower, copy.upper) == (r.lower, r.upper)


@FEW
@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=DOUBLES))
def test_points_of_any_numbers(points):
    try:
        r = apart.distance_nd(points, np.zeros((1, points.shape[1])))
        assert r.lower <= r.upper and not np.isnan(r.distance)
        copy = pickle.loads(pickle.dumps(r))
        assert copy.distance == r.distance and np.array_equal(copy.a, r.a) and np.array_equal(copy.index_a, r.index_a)
        assert copy.verify().verdict == r.verify().verdict
    except ALLOWED:
        assert not np.isfinite(points).all() or np.abs(points).max() > 1e100


def test_other_exporters_of_arrays():
    corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    own = (ctypes.c_double * 3 * 4)()                 # its buffer has no strides
    own[1][0] = own[2][1] = own[3][2] = 1
    floats = (ctypes.c_float * 3 * 4)()
    floats[1][0] = floats[2][1] = floats[3][2] = 1
    for points in (own, floats, memoryview(array.array("d", corners)).cast("B").cast("d", (4, 3)),
                   memoryview(array.array("f", corners)).cast("B").cast("f", (4, 3)), np.reshape(corners, (4, 3)),
                   np.reshape(corners, (4, 3)).tolist()):
        assert apart.hull(points).volume == pytest.approx(1 / 6, rel=1e-15)
    pairs = (ctypes.c_int * 2 * 2)((0, 1), (1, 0))
    row = apart.distance_batch(apart.spheres(array.array("d", [1, 1])), apart.poses([[0, 0, 0], [3, 0, 0]]), pairs)
    assert list(row["distance"]) == [1, 1]
