"""Queries of pairs: closed forms, options, batches, pickles."""
import pickle

import apart
import numpy as np
import pytest

RNG = np.random.default_rng(11)


def test_the_first_example():
    r = apart.distance(apart.sphere(1.0), apart.box([0.5, 1.0, 0.25]), pose_b=apart.pose(xyz=(3, 0, 0)))
    assert r.distance == 1.5 and r.lower <= 1.5 <= r.upper and r.relation == "disjoint" and r.stop == "converged"
    assert np.array_equal(r.a, [1, 0, 0]) and np.array_equal(r.b, [2.5, 0, 0]) and np.array_equal(r.normal, [1, 0, 0])
    assert r.verify().proved and r.features[1].kind == "face" and r.features[0].kind == "curved"
    copy = pickle.loads(pickle.dumps(r))
    assert copy.distance == r.distance and copy.verify().proved and copy.body_a.name == "sphere"
    moved = r.in_frame(apart.pose(xyz=(1, 0, 0)))
    assert np.array_equal(moved.a, [0, 0, 0]) and moved.verify().proved


def test_spheres_against_the_formula():
    for _ in range(200):
        ra, rb = RNG.uniform(0.1, 2, 2)
        p, q = RNG.normal(size=3) * 3, RNG.normal(size=3) * 3
        r = apart.distance(apart.sphere(ra), apart.sphere(rb), pose_a=p, pose_b=q)
        true = np.linalg.norm(q - p) - ra - rb
        assert r.lower - 1e-14 <= true <= r.upper + 1e-14 and abs(r.distance - true) < 1e-12
        assert apart.overlap(apart.sphere(ra), apart.sphere(rb), p, q) == (true <= 0)
        assert apart.point_distance(p, apart.sphere(rb), q).distance == pytest.approx(true + ra, abs=1e-12)


def test_options():
    h, k = apart.hull(RNG.normal(size=(40, 3))), apart.hull(RNG.normal(size=(40, 3)))
    far = apart.pose(xyz=(6, 1, 0))
    plain = apart.distance(h, k, pose_b=far)
    for solver in apart.SOLVERS:
        r = apart.distance(h, k, pose_b=far, solver=solver)
        assert r.lower <= plain.upper and plain.lower <= r.upper and r.solver in apart.SOLVERS
    for support in apart.SUPPORTS:
        assert apart.distance(h, k, pose_b=far, support=support).distance == pytest.approx(plain.distance)
    assert apart.distance(h, k, pose_b=far, cutoff=0.5).relation == "beyond"
    assert apart.distance(h, k, depth="none").distance == 0 and apart.distance(h, k, depth="exact").distance < 0
    stats, trace = apart.stats(), apart.Trace()
    apart.distance(h, k, pose_b=far, stats=stats, trace=trace)
    assert stats.queries == 1 and stats.iterations == trace.count == len(trace.steps) > 0
    assert trace.steps["upper"][-1] == pytest.approx(plain.distance)
    deep = apart.Trace(surface=20000)
    apart.distance(h, k, trace=deep)
    assert deep.surface.shape[1] == 3
    cache = apart.Cache()
    for x in np.linspace(6, 7, 20):
        tracked = apart.distance(h, k, pose_b=[x, 1, 0], cache=cache)
        cold = apart.distance(h, k, pose_b=[x, 1, 0])
        assert tracked.lower <= cold.upper and cold.lower <= tracked.upper
    cache.clear()
    depths = apart.DepthCache()
    for x in np.linspace(0, 0.5, 10):
        tracked = apart.distance(h, k, pose_b=[x, 0, 0], cache=cache, depth_cache=depths)
        assert tracked.distance == pytest.approx(apart.distance(h, k, pose_b=[x, 0, 0]).distance, rel=1e-9)
    bounds = apart.penetration_bounds(h, k)
    assert bounds.least <= -apart.distance(h, k).upper + 1e-12 <= bounds.most + 2e-12


def bodies(n):
    sizes = RNG.uniform(0.2, 1, (n, 3))
    poses = np.array([apart.pose(xyz=RNG.normal(size=3) * 3, rpy=RNG.normal(size=3)).matrix for _ in range(n)])
    return sizes, poses


@pytest.mark.parametrize("kind", ["boxes", "hulls", "mixed"])
def test_batches_are_the_single_calls(kind):
    n = 60
    sizes, poses = bodies(n)
    shapes = {"boxes": lambda: apart.boxes(sizes), "hulls": lambda: apart.hulls(RNG.normal(size=(n, 12, 3))),
              "mixed": lambda: [apart.box(s) if i % 2 else apart.capsule(s[0], s[1]) for i, s in enumerate(sizes)]}[kind]()
    pairs = RNG.integers(0, n, (500, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    first = apart.distance_batch(shapes, poses, pairs)
    assert first.dtype == apart.Result.dtype
    for (i, j), row in zip(pairs, first):
        one = apart.distance(shapes[i], shapes[j], poses[i], poses[j])
        assert row["lower"] <= one.upper and one.lower <= row["upper"]
        assert apart.RELATIONS[row["relation"]] == one.relation
    again = apart.distance_batch(shapes, apart.poses(poses), pairs.astype(np.uint32), threads=2,
                                 caches=apart.caches(len(pairs)), out=np.empty_like(first))
    assert np.all((again["lower"] <= first["upper"]) & (first["lower"] <= again["upper"]))
    rows = apart.distance_batch([shapes[i] for i, _ in pairs], poses[pairs[:, 0]],
                                shapes_b=[shapes[j] for _, j in pairs], poses_b=poses[pairs[:, 1]])
    assert np.array_equal(rows["distance"], first["distance"])
    one_against_all = apart.distance_batch(shapes, poses, shapes_b=apart.sphere(0.5), poses_b=None)
    assert one_against_all["distance"][3] == pytest.approx(apart.distance(shapes[3], apart.sphere(0.5), poses[3]).distance)


def test_failures_of_a_batch():
    sizes, poses = bodies(4)
    poses[2, 0, 0] = 9
    statuses = np.empty(2, np.int32)
    r = apart.distance_batch(apart.boxes(sizes), poses, [[0, 1], [1, 2]], statuses=statuses)
    assert statuses[0] == 0 and statuses[1] == apart.STATUSES["APART_ERR_ROTATION"][0]
    assert np.isnan(r["distance"][1]) and not np.isnan(r["distance"][0])
    with pytest.raises(apart.Error) as error:
        apart.distance_batch(apart.boxes(sizes), poses, [[0, 1], [1, 2]])
    assert error.value.status == "APART_ERR_ROTATION"
    for pairs in ([[0, 4]], [[-1, 0]], np.array([[2**40, 0]])):
        with pytest.raises(apart.Error) as error:
            apart.distance_batch(apart.boxes(sizes), poses[:2].repeat(2, axis=0), pairs)
        assert error.value.status == "APART_ERR_ID"
    with pytest.raises(ValueError):
        apart.distance_batch(apart.boxes(sizes), poses[:3], [[0, 1]])


def test_the_librarys_words():
    assert apart.STATUSES["APART_ERR_ROTATION"][0] == 5
    with pytest.raises(apart.Error, match="box: A radius, extent") as error:
        apart.box([1, -1, 1])
    assert error.value.status == "APART_ERR_NEGATIVE_SIZE" and isinstance(error.value, ValueError)
    with pytest.raises(apart.Error):
        apart.distance(apart.sphere(1), apart.circle(1))


def test_gradients():
    a, b = apart.hull(RNG.normal(size=(30, 3))), apart.ellipsoid([1, 2, 0.5])
    at, turn = np.array([5.0, 1, 2]), np.array([0.3, -0.2, 0.5])
    g = apart.distance_gradient(a, b, pose_b=apart.pose(xyz=at, rpy=turn))
    assert g.unique and g.distance == g.result.distance and g.result.verify().verdict == "proved"
    for k, step in enumerate(np.eye(3) * 1e-5):
        moved = apart.distance(a, b, pose_b=apart.pose(xyz=at + step, rpy=turn)).distance
        assert g.translation_b[k] == pytest.approx((moved - g.distance) / 1e-5, abs=1e-4)
        turned = apart.pose(xyz=at) @ apart.pose(axis_angle=(*(step / 1e-5), 1e-5)) @ apart.pose(rpy=turn)
        assert g.rotation_b[k] == pytest.approx((apart.distance(a, b, pose_b=turned).distance - g.distance) / 1e-5, abs=1e-4)
    assert np.array_equal(g.translation_a, -g.translation_b)
