"""Moving bodies, rays, contacts, any dimension, worlds, files: against closed forms and single calls."""
import gc
import os
import pickle

import apart
import numpy as np
import pytest

RNG = np.random.default_rng(23)
CASES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "tests", "cases")


def test_time_of_impact():
    fall = apart.motion_velocity(start=[0, 0, 4], linear=[0, 0, -5])
    hit = apart.time_of_impact(apart.sphere(1), apart.half_space([0, 0, 1], 0), fall)
    assert hit.outcome == "hit" and hit.t == pytest.approx(0.6, abs=1e-6) and hit.t <= 0.6
    assert hit.at.relation in ("disjoint", "touching") and hit.at.verify().verdict == "proved"
    assert np.allclose(hit.pose_a.translation, fall.pose(hit.t).translation)
    assert pickle.loads(pickle.dumps(hit)).at.distance == hit.at.distance
    miss = apart.time_of_impact(apart.sphere(1), apart.sphere(1), fall, [9, 0, 0], gap="tolerance", tolerance=1e-3)
    assert miss.outcome == "clear" and miss.lower <= 7 <= miss.upper + 1e-9
    table = apart.compound([apart.box([1, 1, 0.1]), apart.box([0.1, 0.1, 1])], [apart.pose(), apart.pose(xyz=(0, 0, -1.1))])
    assert apart.time_of_impact(apart.sphere(1), table, fall).t == pytest.approx(2.9 / 5, abs=1e-5)
    swept = apart.sweep(apart.sphere(1), apart.sphere(1), pose_b=[5, 0, 0], displacement_a=[10, 0, 0])
    assert swept.t == pytest.approx(0.3, abs=1e-6)
    assert apart.swept_overlap(apart.sphere(1), apart.sphere(1), pose_b=[5, 0, 0], displacement_a=[10, 0, 0])
    assert not apart.swept_overlap(apart.sphere(1), apart.sphere(1), pose_b=[5, 3, 0], displacement_a=[10, 0, 0])


def test_motions():
    end = apart.pose(xyz=(1, 2, 3), rpy=(0, 0, 1))
    for motion in (apart.motion_between(None or apart.pose(), end), apart.motion_screw(apart.pose(), end)):
        assert np.allclose(motion.pose(1).matrix, end.matrix, atol=1e-12)
    assert apart.motion_screw(apart.pose(), end).path == "screw"
    part = apart.motion_translation(apart.pose(), [1, 0, 0]).of_part(apart.pose(xyz=(0, 1, 0)))
    assert np.allclose(part.pose(0.5).translation, [0.5, 1, 0])
    assert np.array_equal(apart.motion_rest([1, 2, 3]).pose(0.7).translation, [1, 2, 3])
    assert np.allclose(apart.sincos(0.5), (np.sin(0.5), np.cos(0.5)), atol=1e-16)
    with pytest.raises(apart.Error):
        apart.motion_velocity(angular=[1e12, 0, 0])


def test_rays_and_contacts():
    hit = apart.raycast(apart.box([1, 1, 1]), [-5, 0.3, 0], [2, 0, 0])
    assert hit.hit and hit.distance == 4 and np.array_equal(hit.normal, [-1, 0, 0]) and hit.feature.kind == "face"
    assert not apart.raycast(apart.box([1, 1, 1]), [-5, 0, 0], [1, 0, 0], length=3).hit
    two = apart.compound([apart.sphere(1), apart.sphere(1)], [apart.pose(xyz=(9, 0, 0)), apart.pose(xyz=(4, 0, 0))])
    assert apart.raycast(two, [0, 0, 0], [1, 0, 0]).part == 1
    m = apart.contact(apart.box([1, 1, 1]), apart.box([1, 1, 1]), pose_b=[0.5, 0, 1.99])
    assert m.count == len(m.points) == 4 and np.allclose(m.points["distance"], -0.01)
    assert set(np.round(m.points["a"][:, 0], 9)) == {-0.5, 1.0}
    known = apart.distance(apart.box([1, 1, 1]), apart.box([1, 1, 1]), pose_b=[0.5, 0, 1.99])
    again = apart.contact(known.body_a, known.body_b, known.pose_a, known.pose_b, result=known)
    assert np.array_equal(again.points["id"], m.points["id"]) and m.result.verify().proved


def test_any_dimension():
    for dim in (1, 2, 5, 20):
        a, b = RNG.normal(size=(8, dim)), RNG.normal(size=(9, dim)) + 10
        r = apart.distance_nd(a, b)
        assert r.relation == "disjoint" and np.allclose(r.b - r.a, r.distance * r.normal, atol=1e-9)
        assert np.allclose(r.weights @ a[r.index_a], r.a) and r.verify().verdict != "refuted"
    with pytest.raises(ValueError):
        apart.distance_nd(np.zeros((3, 4)), np.zeros((3, 5)))


def test_worlds():
    w = apart.World(threads=2)
    shapes = [apart.sphere(0.3), apart.box([0.3, 0.2, 0.1]), apart.hull(RNG.normal(size=(10, 3)) * 0.3)]
    at = RNG.uniform(-3, 3, (60, 3))
    ids = [w.add(shapes[i % 3], p) for i, p in enumerate(at)]
    kept = shapes[2].vertices
    del shapes
    gc.collect()
    shapes = [apart.sphere(0.3), apart.box([0.3, 0.2, 0.1]), apart.hull(kept)]
    every = {}
    for i in range(60):
        for j in range(i):
            every[frozenset((ids[i], ids[j]))] = apart.distance(shapes[j % 3], shapes[i % 3], at[j], at[i]).distance
    below = w.below(0.5)
    assert {frozenset((int(p["a"]), int(p["b"]))) for p in below} == {k for k, d in every.items() if d < 0.5}
    for p in below:
        assert p["distance"] == pytest.approx(every[frozenset((int(p["a"]), int(p["b"])))], abs=1e-9)
    assert w.nearest(3)["distance"][0] == pytest.approx(min(every.values()), abs=1e-9)
    assert len(w.overlaps()) == sum(d < 0 for d in every.values())
    snapshot = w.snapshot()
    w.move(np.array(ids), apart.poses(at * 10))
    assert len(w.below(0.5)) < len(below)
    w.restore(snapshot)
    assert np.array_equal(w.below(0.5)["distance"], below["distance"])
    w.disable_pair(int(below["a"][0]), int(below["b"][0]))
    assert len(w.below(0.5)) == len(below) - 1
    w.set_filter(ids[0], groups=1, ignores=1)
    assert w.get(ids[0])["groups"] == 1 and w.get(ids[0])["body"].name == "sphere"
    probe = apart.sphere(0.1)
    near = w.near(probe, [0, 0, 0], count=60)
    one = [apart.distance(probe, shapes[i % 3], None, at[i]).distance for i in range(60)]
    assert np.allclose(np.sort(one), near["distance"], atol=1e-9)
    assert np.array_equal(w.near(probe, apart.poses(np.zeros((2, 3))), count=60)[1]["distance"], near["distance"])
    hits = w.raycast(np.full((60, 3), 9.0), at - 9)
    assert hits["hit"].all() and w.raycast([9, 9, 9], at[3] - 9).distance == hits["distance"][3]
    w.remove(ids[5])
    assert len(w) == 59 and ids[5] not in w.bodies
    with pytest.raises(apart.Error) as error:
        w.move(ids[5], [0, 0, 0])
    assert error.value.status == "APART_ERR_ID" and w.stats().bodies == 59
    w.update()
    w.reset_stats()
    assert w.stats().queries == 0


@pytest.mark.skipif(not os.path.isdir(CASES), reason="the case files are not here")
@pytest.mark.parametrize("name", ["polytopes.txt", "primitives.txt", "nd.txt"])
def test_cases(name):
    """The bounds contain the exact distance (tests/cases/README.md)."""
    cases = apart.read_cases(os.path.join(CASES, name))
    for c in cases:
        if c["dim"] > 3:
            r = apart.distance_nd(c["a"], c["b"])
        else:
            bodies = [body if isinstance(body, tuple) else (apart.points(body) if c["dim"] == 3 else apart.polygon(body), None)
                      for body in (c["a"], c["b"])]
            r = apart.distance(bodies[0][0], bodies[1][0], bodies[0][1], bodies[1][1])
        slack = 4e-16 * abs(c["distance"])     # the file's number is rounded
        assert r.lower - slack <= c["distance"] <= r.upper + slack, c["name"]
    assert len(cases) > 30


def test_files(tmp_path):
    h = apart.hull(RNG.normal(size=(30, 3)))
    for extension in ("obj", "ply", "off"):
        path = tmp_path / ("rock." + extension)
        h.write(path)
        mesh = apart.read_mesh(path)
        assert np.array_equal(mesh["vertices"], h.vertices) and mesh["deviation"] < 1e-12
        assert apart.mesh(mesh["vertices"], mesh["faces"]).report.volume == pytest.approx(h.volume)
    with pytest.raises(apart.Error, match="bad.obj:2") as error:
        apart.read_mesh("bad.obj", data=b"v 0 0 0\nv 1 x 2\n")
    assert error.value.line == 2 and error.value.status == "APART_ERR_SYNTAX"
    with pytest.raises(apart.Error) as error:
        apart.read_mesh(tmp_path / "none.obj")
    assert error.value.status == "APART_ERR_FILE"


def test_bodies_from_files(tmp_path):
    h = apart.hull(RNG.normal(size=(30, 3)))
    path = tmp_path / "rock.obj"
    h.write(path)
    assert isinstance(apart.load(path), apart.Hull) and apart.load(path).volume == pytest.approx(h.volume)
    assert apart.load(path, "solid").is_solid and not apart.load(path, "surface").is_solid
    cover = apart.load(path, as_="cover", hulls=3)
    gc.collect()
    assert len(cover) <= 3 and apart.distance(cover, apart.sphere(1), pose_b=[9, 0, 0]).lower <= \
        apart.distance(h, apart.sphere(1), pose_b=[9, 0, 0]).upper
    assert apart.load(path, scale=2).volume == pytest.approx(8 * h.volume)
    open_faces = "".join("v %r %r %r\n" % tuple(v) for v in h.vertices) + "f 1 2 3\n"
    path.write_text(open_faces)
    with pytest.raises(apart.Error) as error:
        apart.load(path, "solid")
    assert error.value.status == "APART_ERR_NOT_WATERTIGHT"


def test_parts_that_are_near():
    spheres = apart.compound(apart.spheres(np.full(40, 0.1)), np.c_[np.arange(40.0), np.zeros((40, 2))])
    near = apart.parts_below(spheres, apart.sphere(1), 3.0, pose_b=[20, 1, 0])
    gaps = np.hypot(np.arange(40) - 20, 1) - 1.1
    assert sorted(near["part_a"]) == np.flatnonzero(gaps < 3).tolist()
    assert np.allclose(near["distance"], gaps[near["part_a"]], atol=1e-9)


def test_what_engines_ask():
    w = apart.World()
    row = [w.add(apart.sphere(0.5), [3.0 * i, 0, 0], user=i, category=1 << (i % 2)) for i in range(5)]
    hit = w.cast(apart.sphere(0.5), [20, 0, 0], [-5, 0, 0])
    assert hit.body == row[0] and hit.t == pytest.approx(4 / 20, abs=1e-6) and hit.outcome == "hit"
    assert list(w.cast(apart.sphere(0.5), [20, 0, 0], [-5, 0, 0], count=9)["body"]) == row
    assert w.cast(apart.sphere(0.5), [20, 0, 0], [-5, 0, 0], mask=2).body == row[1]
    assert w.cast(apart.sphere(0.5), [0, 20, 0], [-5, 0, 0]).outcome == "clear"
    assert list(w.raycast([-5, 0, 0], [1, 0, 0], count=3)["body"]) == row[:3]
    assert sorted(w.overlap(apart.box([4, 1, 1]))) == row[:2] and len(w.overlap(apart.sphere(0.1), [1.5, 0, 0])) == 0
    assert sorted(w.overlap(apart.sphere(0.1), [1.5, 0, 0], within=2)) == row[:2]
    assert sorted(w.in_box([2, -1, -1], [7, 1, 1])) == row[1:3]
    begin, end = w.events(0.1)
    assert len(begin) == len(end) == 0
    w.move(row[1], [0.9, 0, 0])
    begin, end = w.events(0.1)
    assert begin.tolist() == [row[:2]] and len(end) == 0
    contacts, points = w.contacts(0.1)
    assert len(contacts) == 1 and contacts["user_b"][0] == 1 and contacts["count"].sum() == len(points) == 1
    assert points["distance"][0] == pytest.approx(-0.1)
    w.move(row[1], [0, 9, 0])
    assert w.events(0.1)[1].tolist() == [row[:2]]
    w.set_mask(row[0], category=4, mask=8)
    assert w.get(row[0])["category"] == 4
    compound = apart.compound([apart.sphere(1), apart.sphere(1)], np.eye(4)[None].repeat(2, axis=0))
    compound.set_user(1, 77)
    assert compound.user(1) == 77 and compound.user(0) == 0


def test_archives():
    h = apart.hull(np.random.default_rng(4).normal(size=(30, 3)))
    body = apart.compound([h, apart.box([1, 2, 3])], apart.poses([[0, 0, 0], [5, 0, 0]]))
    body.set_user(1, 77)
    copy = apart.compound_from_bytes(body.to_bytes())
    del h
    assert len(copy) == 2 and copy.user(1) == 77
    there = apart.pose(xyz=(0, 9, 1), rpy=(1, 2, 3))
    assert apart.distance(copy, copy, pose_b=there).distance == apart.distance(body, body, pose_b=there).distance
    world = apart.World()
    ids = [world.add(copy, [12 * i, 0, 0], user=i) for i in range(5)] + [world.add(apart.sphere(1), [0, 9, 0])]
    world.remove(ids[2])
    expected = world.below(50)
    for again in (apart.world_from_bytes(world.to_bytes(), threads=2), pickle.loads(pickle.dumps(world))):
        assert sorted(again.bodies) == sorted(world.bodies) and len(again) == 5
        assert again.below(50).tobytes() == expected.tobytes()
        again.move(ids[0], [0, 0, 50])
    archive = bytearray(world.to_bytes())
    for at in range(0, len(archive), 7):
        broken = archive.copy()
        broken[at] ^= 1 << at % 8
        try:
            apart.world_from_bytes(broken).below(1)
        except apart.Error:
            pass
    with pytest.raises(apart.Error):
        apart.compound_from_bytes(world.to_bytes()[:-3])
    with pytest.raises(apart.Error):
        apart.compound([apart.support_shape(lambda d: d, [0, 0, 0], radius=1)]).to_bytes()
