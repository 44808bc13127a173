"""Shapes, poses, hulls, meshes: sizes and supports that are known, and what keeps what alive."""
import gc
import pickle

import apart
import numpy as np
import pytest

RNG = np.random.default_rng(7)


def rotation(rng):
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]), (w, x, y, z)


def test_poses_by_every_name_are_the_same():
    for _ in range(20):
        m, (w, x, y, z) = rotation(RNG)
        at = RNG.normal(size=3)
        t = np.eye(4)
        t[:3, :3], t[:3, 3] = m, at
        poses = [apart.pose(t), apart.pose(t[:3]), apart.pose(xyz=at, matrix=m), apart.pose(xyz=at, matrix=m.ravel()),
                 apart.pose(xyz=at, quat_wxyz=(w, x, y, z)), apart.pose(xyz=at, quat_xyzw=(x, y, z, w)),
                 apart.pose(t.astype(np.float32))]
        for order, row in [("xyz_quat_wxyz", [*at, w, x, y, z]), ("xyz_quat_xyzw", [*at, x, y, z, w]),
                           ("quat_wxyz_xyz", [w, x, y, z, *at]), ("quat_xyzw_xyz", [x, y, z, w, *at])]:
            poses.append(apart.poses(np.array([row, row]), order)[1])
        poses += [apart.poses(np.array([t, t]))[0], apart.poses(np.array([t, t]).transpose(0, 2, 1).copy().transpose(0, 2, 1))[1],
                  apart.poses(np.array([t, t], dtype=np.float32))[1]]
        for p in poses:
            assert np.allclose(p.matrix, t, atol=1e-6 if p is poses[6] or p is poses[-1] else 1e-14)


def test_pose_words():
    c, s = np.cos(0.3), np.sin(0.3)
    turned = np.array([[c, -s, 0, 1], [s, c, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    assert np.allclose(apart.pose(xyz=(1, 2, 3), rpy=(0, 0, 0.3)).matrix, turned, atol=1e-15)
    assert np.allclose(apart.pose(xyz=(1, 2, 3), axis_angle=(0, 0, 5, 0.3)).matrix, turned, atol=1e-15)
    assert np.allclose(apart.pose(xyz=(1, 2, 0), angle=0.3).matrix[:2], turned[:2], atol=1e-15)
    assert np.array_equal(apart.pose().matrix, np.eye(4))
    p = apart.pose(turned)
    points = RNG.normal(size=(5, 3))
    assert np.allclose(p.apply(points), points @ turned[:3, :3].T + turned[:3, 3])
    assert np.allclose(p.apply(points[0]), turned[:3, :3] @ points[0] + turned[:3, 3])
    assert np.allclose(p.apply_inverse(p.apply(points)), points)
    assert np.allclose(p.rotate_inverse(p.rotate(points)), points)
    assert np.allclose((p @ p.inverse()).matrix, np.eye(4))
    assert np.allclose(p.compose(p).matrix, turned @ turned)


@pytest.mark.parametrize("shape, direction, value", [
    (lambda: apart.point([1, 2, 3]), (1, 0, 0), 1),
    (lambda: apart.segment([0, 0, 0], [0, 2, 0]), (0, 1, 0), 2),
    (lambda: apart.triangle([0, 0, 0], [1, 0, 0], [0, 3, 0]), (0, 1, 0), 3),
    (lambda: apart.sphere(2), (0, 0, 1), 2),
    (lambda: apart.box([1, 2, 3]), (0, 0, 1), 3),
    (lambda: apart.capsule(1, 2), (0, 0, 1), 3),
    (lambda: apart.cylinder(1, 2), (0, 0, 1), 2),
    (lambda: apart.cone(1, 2), (0, 0, 1), 2),
    (lambda: apart.ellipsoid([1, 2, 3]), (0, 1, 0), 2),
    (lambda: apart.points([[0, 0, 0], [4, 0, 0]]), (1, 0, 0), 4),
    (lambda: apart.hull(np.eye(3)), (1, 0, 0), 1),
    (lambda: apart.rounded(apart.box([1, 1, 1]), 0.5), (1, 0, 0), 1.5),
    (lambda: apart.sum(apart.box([1, 1, 1]), apart.sphere(2)), (1, 0, 0), 3),
    (lambda: apart.hull_of_two(apart.sphere(1), apart.point([5, 0, 0])), (1, 0, 0), 5),
    (lambda: apart.affine(apart.sphere(1), np.diag([3.0, 1, 1]), [1, 0, 0]), (1, 0, 0), 4),
    (lambda: apart.support_shape(lambda d: d / np.linalg.norm(d), [0, 0, 0], radius=1), (1, 0, 0), 1),
    (lambda: apart.circle(2), (1, 0, 0), 2),
    (lambda: apart.rectangle(1, 2), (0, 1, 0), 2),
    (lambda: apart.point_2d(1, 2), (0, 1, 0), 2),
    (lambda: apart.segment_2d(0, 0, 3, 0), (1, 0, 0), 3),
    (lambda: apart.capsule_2d(1, 2), (0, 1, 0), 3),
    (lambda: apart.polygon([[0, 0], [2, 0], [0, 1]]), (1, 0, 0), 2),
])
def test_supports_and_pickles(shape, direction, value):
    s = shape()
    gc.collect()
    assert np.dot(s.support(direction), direction) == pytest.approx(value, rel=1e-12)
    s.check()
    if "support function" not in s.name and "callback" not in s.name:
        copy = pickle.loads(pickle.dumps(s))
        del s
        gc.collect()
        assert np.dot(copy.support(direction), direction) == pytest.approx(value, rel=1e-12)
        box = copy.aabb()
        assert np.dot(box[1], direction) == pytest.approx(value, rel=1e-9)
        center, radius = copy.ball()
        assert np.dot(center, direction) + radius >= value - 1e-12


def test_half_spaces():
    ground = apart.half_space([0, 0, 2], 1.0)
    assert apart.distance(apart.sphere(1), ground, pose_a=[0, 0, 5]).distance == pytest.approx(3)
    ground = apart.half_space_2d(0, 1, 0)
    assert apart.distance(apart.circle(1), ground, pose_a=[0, 5, 0]).distance == pytest.approx(4)


def test_own_support_function_is_kept_and_may_fail():
    def make():
        radius = 2.0
        return apart.rounded(apart.support_shape(lambda d: radius * d / np.linalg.norm(d), [0, 0, 0], radius=2), 0.5)
    s = make()
    gc.collect()
    assert apart.distance(s, apart.sphere(1), pose_b=[10, 0, 0]).distance == pytest.approx(6.5)
    with pytest.raises(ZeroDivisionError):
        apart.distance(apart.support_shape(lambda d: 1 / 0, [0, 0, 0], radius=1), s, pose_b=[9, 0, 0])
    with pytest.raises(TypeError):
        apart.distance(apart.support_shape(lambda d: "x", [0, 0, 0], radius=1), s, pose_b=[9, 0, 0])
    with pytest.raises(apart.Error, match="not finite"):
        apart.distance(apart.support_shape(lambda d: d * np.nan, [0, 0, 0], radius=1), s, pose_b=[9, 0, 0])


def test_hull_parts():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    for points in (np.vstack([corners, [[0.5, 0.5, 0.5]]]), corners.astype(np.float32), corners.tolist(),
                   np.asfortranarray(corners), np.repeat(corners, 2, axis=0)[::2]):
        h = apart.hull(points)
        assert (len(h.vertices), len(h.edges), len(h.faces), h.dimension) == (8, 12, 6, 3)
        assert h.volume == pytest.approx(1) and h.area == pytest.approx(6)
        assert np.array_equal(np.asarray(points)[h.input_indices], h.vertices)
        assert sorted(len(n) for n in h.neighbours) == [3] * 8
        for face, normal in zip(h.faces, h.face_normals):
            assert np.allclose(h.vertices[face] @ normal, max(h.vertices @ normal))
    copy = apart.hull_from_bytes(h.to_bytes())
    assert np.array_equal(copy.vertices, h.vertices)
    with pytest.raises(apart.Error):
        apart.hull_from_bytes(h.to_bytes()[:-8])
    again = apart.hull(h.vertices, [f.tolist() for f in h.faces])
    assert again.volume == pytest.approx(1)
    with pytest.raises(apart.Error) as error:
        apart.hull(h.vertices, [[0, 1, 2]])
    assert error.value.status == "APART_ERR_TOPOLOGY"


def cube(size=1.0):
    h = apart.hull([[x, y, z] for x in (-size, size) for y in (-size, size) for z in (-size, size)])
    return h.vertices, np.array([f[[0, i, i + 1]] for f in h.faces for i in range(1, len(f) - 1)])


class Trimesh:
    """As much of trimesh.Trimesh as goes in without conversion."""
    def __init__(self, vertices, faces):
        self.vertices, self.faces = vertices, faces


def test_meshes():
    vertices, faces = cube()
    m = apart.mesh(vertices, faces)
    assert m.is_solid and m.report.watertight and m.report.volume == pytest.approx(8)
    assert np.array_equal(m.contains([[0, 0, 0], [1, 0, 0], [2, 0, 0]]), [1, 0, -1]) and m.contains([0, 0, 0]) == 1
    assert m.self_intersection() is None
    ball = apart.sphere(0.25)
    assert apart.overlap(m, ball) and not apart.overlap(m.as_surface(), ball)
    assert apart.distance(m.as_surface(), ball).distance == pytest.approx(0.75)
    assert apart.distance(Trimesh(vertices, faces), ball, pose_b=[3, 0, 0]).distance == pytest.approx(1.75)
    open_mesh = apart.mesh(vertices, faces[1:].astype(np.int32))
    assert not open_mesh.is_solid
    with pytest.raises(apart.Error, match="[Ee]nclose"):
        open_mesh.as_solid()
    copy = pickle.loads(pickle.dumps(m))
    assert copy.is_solid and len(copy.faces) == 12 and len(copy.vertices) == 8
    with pytest.raises(apart.Error):
        apart.mesh(vertices, [[0, 1, 99]])
    with pytest.raises(TypeError):
        apart.mesh(vertices, faces.astype(float))


def test_compounds_and_covers():
    c = apart.compound([apart.sphere(1), apart.box([1, 1, 1])], [apart.pose(), apart.pose(xyz=(4, 0, 0))])
    gc.collect()
    r = apart.distance(c, apart.sphere(1), pose_b=[8, 0, 0])
    assert r.distance == pytest.approx(2) and r.part_a == 1 and r.verify().verdict != "refuted"
    assert len(c) == 2 and c[1][0].name == "box" and np.array_equal(c[1][1].translation, [4, 0, 0])
    assert apart.distance(pickle.loads(pickle.dumps(c)), apart.sphere(1), pose_b=[8, 0, 0]).distance == r.distance
    vertices, faces = cube()
    cover = apart.cover(vertices, faces, hulls=2, solid=True)
    assert cover.check(vertices, faces) and cover.excess >= 0
    body = cover.compound()
    del cover
    gc.collect()
    assert apart.distance(body, apart.sphere(1), pose_b=[5, 0, 0]).distance <= 3


def test_arrays_of_shapes():
    sizes = RNG.uniform(0.1, 1, (10, 3))
    boxes = apart.boxes(sizes)
    assert len(boxes) == 10 and np.allclose([b.support([1, 1, 1]) for b in boxes], sizes)
    assert np.allclose([s.radius for s in apart.spheres(sizes[:, 0])], sizes[:, 0])
    assert apart.capsules(sizes[:, 0], 2.0)[3].support([0, 0, 1])[2] == pytest.approx(sizes[3, 0] + 2)
    assert apart.cylinders(sizes[:, 0], sizes[:, 1])[3].support([0, 0, 1])[2] == sizes[3, 1]
    assert apart.cones(1.0, sizes[:, 1])[3].support([0, 0, 1])[2] == sizes[3, 1]
    assert apart.ellipsoids(sizes)[3].support([0, 0, 1])[2] == pytest.approx(sizes[3, 2])
    assert apart.triangles(RNG.normal(size=(4, 3, 3)))[3].name == "triangle"
    assert apart.segments(RNG.normal(size=(4, 2, 3)))[3].name == "segment"
    points = RNG.normal(size=(5, 20, 3))
    hulls = apart.hulls(points)
    one = hulls[2]
    counted = apart.hulls(points.reshape(-1, 3), [20] * 5)
    del hulls
    gc.collect()
    assert np.array_equal(one.hull.vertices, apart.hull(points[2]).vertices)
    assert np.array_equal(counted[4].hull.vertices, apart.hull(points[4]).vertices)
    copies = pickle.loads(pickle.dumps(counted))
    assert np.array_equal(copies[4].hull.vertices, counted[4].hull.vertices)
    with pytest.raises(apart.Error, match="row 4"):
        apart.boxes(np.where(np.arange(10)[:, None] == 4, -1.0, sizes))


def test_measures():
    m = apart.mass(apart.box([1, 2, 3]))
    assert m.volume == pytest.approx(48) and np.allclose(m.center, 0)
    assert np.allclose(m.inertia, np.diag([48 * 13 / 3, 48 * 10 / 3, 48 * 5 / 3]))
    ball = apart.mass(apart.support_shape(lambda d: d / np.linalg.norm(d), [0, 0, 0], radius=1), grid=8)
    assert abs(ball.volume - 4 * np.pi / 3) <= ball.volume_error
    vertices, triangles = apart.surface(apart.box([1, 2, 3]))
    assert apart.mesh(vertices, triangles).report.volume == pytest.approx(48)
