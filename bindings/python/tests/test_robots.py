"""Robots: a planar arm whose positions are known, and the batch beside single calls."""
import gc
import os

import apart
import numpy as np
import pytest

URDF = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "robot", "arm.urdf")


def planar_arm():
    """Two links of length 1 in the x-z plane, turning about -y: the tip is at (cos a + cos(a+b), 0, sin a + sin(a+b))."""
    robot = apart.Robot(name="planar")
    for name in ("base", "upper", "fore"):
        robot.add_link(name)
    robot.add_part(1, apart.capsule(0.05, 0.4), apart.pose(xyz=(0.5, 0, 0), rpy=(0, np.pi / 2, 0)))
    robot.add_part(2, apart.capsule(0.05, 0.4), apart.pose(xyz=(0.5, 0, 0), rpy=(0, np.pi / 2, 0)))
    robot.add_joint("shoulder", "base", "upper", axis=[0, -1, 0], lower=-3, upper=3)
    robot.add_joint("elbow", "upper", "fore", origin=[1, 0, 0], axis=[0, -1, 0], lower=-3, upper=3)
    robot.add_state("arm", "home", "elbow", 0.5)
    robot.finish()
    gc.collect()
    return robot


def test_model():
    robot = planar_arm()
    assert robot.name == "planar" and robot.links == ["base", "upper", "fore"] and robot.variables == ["shoulder", "elbow"]
    assert robot.states == [("arm", "home", "elbow", 0.5)] and np.array_equal(robot.limits, [[-3, 3], [-3, 3]])
    a, b = 0.3, 0.4
    tip = robot.forward([a, b])[2].apply([1, 0, 0])
    assert np.allclose(tip, [np.cos(a) + np.cos(a + b), 0, np.sin(a) + np.sin(a + b)])
    linear, angular = robot.jacobian([a, b], "fore", tip)
    step = 1e-6
    for k, row in enumerate(np.eye(2) * step):
        moved = robot.forward(np.array([a, b]) + row)[2].apply([1, 0, 0])
        assert np.allclose(linear[k], (moved - tip) / step, atol=1e-5)
    assert np.allclose(angular, [[0, -1, 0], [0, -1, 0]])
    assert robot.joint_position(1, [a, b]) == b and robot.joints[1]["parent"] == "upper"
    assert robot.random(5, 100).shape == (100, 2) and np.array_equal(robot.random(5), robot.random(5, 1)[0])
    shape, pose = robot.parts("upper")[0]
    assert shape.name == "capsule" and np.allclose(pose.translation, [0.5, 0, 0])


def test_cell():
    robot = planar_arm()
    cell = apart.Cell(robot, {"ball": (apart.sphere(0.2), [2.5, 0, 0])}, margins=[("ball", None, 0.1)])
    ball = cell.pairs.index(("fore", "ball"))
    near = cell.nearest([0, 0])
    assert near.pair == ball and near.distance == pytest.approx(2.5 - 0.2 - 1.95)
    assert cell.margins[ball] == 0.1 and len(cell.below([0, 0], 0.26)) == 1 and len(cell.below([0, 0], 0.24)) == 0
    assert cell.distance({"elbow": 0.0}, ball).distance == near.distance
    q = np.array([0.2, -0.1])
    found, gradient, unique = cell.gradient(q, ball)
    for k, row in enumerate(np.eye(2) * 1e-6):
        assert gradient[k] == pytest.approx((cell.distance(q + row, ball).distance - found.distance) / 1e-6, abs=1e-4)
    assert unique
    # over the ball: at elbow 0 the arm sweeps across it
    gap = cell.motion([0.5, 0], [-0.5, 0])
    assert gap.lower <= near.distance - 0.1 <= gap.upper + 1e-12 and gap.s == pytest.approx(0.5, abs=0.02)
    assert cell.motion([0.5, 0], [-0.5, 0], limit=0.5).upper < 0.5
    assert np.allclose(cell.at([0, 0], [1, 1], 0.25), [0.25, 0.25])
    assert np.allclose(cell.at([0, 0], [1, 1], 0.5, v0=[0, 0], v1=[0, 0]), [0.5, 0.5])
    assert cell.speed_bound([0, 0], [1, 0], ball) >= 1.9
    rows = robot.random(3, 200)
    batch = cell.distances(rows, threads=2)
    for row, answer in zip(rows, batch):
        cell.reset()
        one = cell.nearest(row)
        assert one.lower <= answer["upper"] + 0.1 and answer["lower"] <= one.upper + 0.1
    gaps = cell.motions(rows[:-1], rows[1:], threads=2)
    assert np.all(gaps["lower"] <= gaps["upper"]) and np.array_equal(gaps, cell.motions(rows[:-1], rows[1:]))
    assert len(cell.propose(100)) == len(cell.pairs)
    assert len(cell.body_poses([0, 0])) == len(cell.bodies) and len(cell.link_poses([0, 0])) == 3
    cell.set_options(depth="none", cold=True)
    with pytest.raises(RuntimeError, match="cells"):
        robot.disable_pair("upper", "ball")
    with pytest.raises(ValueError):
        cell.nearest([0, 0, 0])
    with pytest.raises(ValueError, match="no joint"):
        cell.nearest({"knee": 1})
    with pytest.raises(apart.Error):
        cell.nearest([np.nan, 0])
    with pytest.raises(apart.Error):
        apart.Cell(robot, {}, margins=[("nobody", None, 0.1)])


def test_pairs_that_do_not_matter():
    robot = planar_arm()
    robot.disable_pair("fore", "ball")
    assert apart.Cell(robot, {"ball": apart.sphere(1)}).pairs == [("upper", "ball")]
    robot = planar_arm()
    robot.disable_pair("fore")
    robot.enable_pair("fore", "ball")
    assert ("fore", "ball") in apart.Cell(robot, {"ball": apart.sphere(1), "box": apart.sphere(1)}).pairs


@pytest.mark.skipif(not os.path.isfile(URDF), reason="the example robot is not here")
def test_urdf(tmp_path):
    robot = apart.Robot(URDF)
    cell = apart.Cell(robot, {"post": (apart.cylinder(0.1, 1), [0.8, 0, 0])}, base=apart.pose(xyz=(0, 0, 0.1)))
    assert cell.nearest(robot.rest()).lower <= cell.nearest(robot.rest(), 5)["distance"][0]
    with open(URDF, "rb") as file:
        assert apart.Robot(URDF, data=file.read()).links == robot.links
    bad = tmp_path / "bad.urdf"
    bad.write_text("<robot name='r'>\n<link name='a'/>\n"
                   "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>")
    with pytest.raises(apart.Error, match="bad.urdf:3"):
        apart.Robot(bad)
    with pytest.raises(apart.Error):
        apart.Robot(URDF, srdf=tmp_path / "none.srdf")
    assert robot.add_note("a word") is None and robot.notes[-1] == "a word"


def test_paths_groups_and_meshes():
    cell = apart.Cell(planar_arm(), {"ball": (apart.sphere(0.2), [2.5, 0, 0])})
    rows = np.array([[0.5, 0], [0.0, 0], [-0.5, 0], [-1, 0]])
    gap, segment = cell.path(rows)
    assert segment in (0, 1) and gap.lower <= 0.35 <= gap.upper + 1e-9
    one = cell.motion(rows[0], rows[1], pairs=[cell.pairs.index(("fore", "ball"))])
    assert one.upper == pytest.approx(0.35, abs=1e-3)
    with pytest.raises(apart.Error):
        cell.motion(rows[0], rows[1], pairs=[99])
    hill = cell.range([0, 0], [1, 0], v0=[0, 0], v1=[-4, 0])[0]
    assert np.allclose(hill, [0, 343 / 243], atol=1e-8)      # of 7 s^2 - 6 s^3
    quintic = cell.motions(rows[:-1], rows[1:], V0=np.zeros((3, 2)), V1=np.zeros((3, 2)), A0=np.zeros((3, 2)))
    straight = cell.motions(rows[:-1], rows[1:])
    assert np.allclose(quintic["upper"], straight["upper"], atol=1e-3)
    with pytest.raises(ValueError):
        cell.motions(rows, rows[:2])

    two = apart.Robot(name="two")
    two.add_link("floor")
    two.begin_group()
    left, right = planar_arm(), planar_arm()
    two.add_robot(left, "left/", "floor")
    two.add_robot(right, "right/", "floor", [0, 1, 0])
    two.finish()
    gc.collect()
    assert sorted(two.variables) == ["left/elbow", "left/shoulder", "right/elbow", "right/shoulder"]
    assert apart.Cell(two).nearest([0, 0, 0, 0]).distance == pytest.approx(0.9)
    with pytest.raises(RuntimeError, match="finished"):
        left.rest()
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    h = apart.hull(corners)
    mesh = apart.mesh(h.vertices, [f[[0, i, i + 1]] for f in h.faces for i in (1, 2)])
    carrier = planar_arm()
    carrier.add_part(2, mesh, [1, 0, 0])
    del mesh
    gc.collect()
    wall = apart.mesh(h.vertices, [f[[0, i, i + 1]] for f in h.faces for i in (1, 2)])
    cell = apart.Cell(carrier, {"wall": (wall, [4, 0, 0])})
    del wall
    gc.collect()
    assert cell.nearest([0, 0]).distance == pytest.approx(1.0)


def test_plans():
    robot = planar_arm()
    cell = apart.Cell(robot, {"post": (apart.sphere(0.2), [1.5, 0, 0])})
    plan = cell.plan([1.0, 0.0], [[-1.0, 0.0], [9, 9]], limit=0.02, seed=3)
    assert plan.outcome == "found" and np.array_equal(plan.q[0], [1, 0]) and np.array_equal(plan.q[-1], [-1, 0])
    assert len(plan.edges) == len(plan.q) - 1 and plan.edges["lower"].min() >= 0.02
    assert plan.verify().verdict == "proved" and plan.length <= plan.found_length
    assert np.array_equal(cell.plan([1.0, 0.0], [-1.0, 0.0], limit=0.02, seed=3, threads=2).q, plan.q)
    assert cell.plan([0.0, 0.0], [1.0, 0.0]).outcome != "found"
    stopped = cell.plan([1.0, 0.0], [-1.0, 0.0], limit=0.02, progress=lambda samples, edges, nodes: False)
    assert stopped.outcome in ("stopped", "found")
    with pytest.raises(ValueError):
        cell.plan([1.0, 0.0], [-1.0, 0.0], variables=["knee"])
    wanted = robot.forward([0.4, 0.6])[2].apply([1, 0, 0])
    for q in robot.inverse("fore", apart.pose(xyz=wanted), point=[1, 0, 0], position_only=True):
        assert np.allclose(robot.forward(q)[2].apply([1, 0, 0]), wanted, atol=1e-9)
