"""The viewer's page: what is put into it."""
import json

import apart
import numpy as np
import pytest

EMPTY = '<html><head><title>apart</title></head><script type="application/json" id="apart-data">null</script></html>'


@pytest.fixture
def page(tmp_path, monkeypatch):
    (tmp_path / "viewer.html").write_text(EMPTY)
    monkeypatch.setenv("APART_VIEWER", str(tmp_path / "viewer.html"))

    def written(*things, **named):
        text = open(apart.show(*things, path=tmp_path / "page.html", **named), encoding="utf-8").read()
        assert "<title>" in text and text.count("</script>") == 1
        return json.loads(text.split('id="apart-data">')[1].split("</script>")[0])
    return written


def test_pages(page, tmp_path):
    shown = page(apart.box([1, 2, 3]), apart.sphere(1), pose_b=[5, 0, 0])
    assert [s["shape"] for s in shown["shapes"]] == ["box:1,2,3", "sphere:1"]
    pair = shown["frames"][0]["pairs"][0]
    assert pair["distance"] == 3 and pair["lower"] <= 3 <= pair["upper"] and shown["frames"][0]["poses"][1][3] == 5
    h = apart.hull(np.eye(3))
    c = apart.compound([h, apart.rounded(apart.cylinder(1, 2), 0.5)], np.eye(4)[None].repeat(2, axis=0))
    shown = page(apart.distance(c, apart.sum(h, apart.sphere(1)), pose_b=[9, 0, 0]))
    assert shown["shapes"][1]["shape"] == "cylinder:1,2+0.5" and len(shown["bodies"][0]["parts"]) == 2
    assert len(shown["shapes"][2]["vertices"]) > 100
    mesh = apart.mesh(h.vertices, [[0, 1, 2]])
    moving = apart.recording({"plate </script>": mesh, "ball": apart.sphere(1)}, [[None, [x, 0, 0]] for x in (3, 4)])
    assert page(moving)["bodies"][0]["name"] == "plate </script>" and len(page(moving)["frames"]) == 2
    (tmp_path / "r.json").write_text(json.dumps(moving))
    assert page(tmp_path / "r.json") == moving


def test_texts():
    for text, shape in [("sphere:1", apart.sphere(1)), ("capsule:1,2", apart.capsule(1, 2)), ("cone:1,2", apart.cone(1, 2)),
                        ("ellipsoid:1,2,3", apart.ellipsoid([1, 2, 3])), ("point:1,2,3", apart.point([1, 2, 3])),
                        ("segment:0,0,0,1,2,3+0.5", apart.rounded(apart.segment([0, 0, 0], [1, 2, 3]), 0.5)),
                        ("halfspace:0,0,1,2", apart.half_space([0, 0, 1], 2)), ("circle:2", apart.circle(2)),
                        ("rectangle:1,2", apart.rectangle(1, 2)), ("triangle:0,0,0,1,0,0,0,1,0",
                                                                   apart.triangle([0, 0, 0], [1, 0, 0], [0, 1, 0]))]:
        assert shape.text == text
    assert apart.hull(np.eye(3)).text is None


def test_no_page(monkeypatch, tmp_path):
    monkeypatch.setenv("APART_VIEWER", str(tmp_path / "none.html"))
    monkeypatch.setattr("os.path.isfile", lambda path: False)
    with pytest.raises(FileNotFoundError, match="make viewer"):
        apart.show(apart.sphere(1), apart.sphere(1), path=tmp_path / "x.html")
    with pytest.raises(TypeError):
        apart.show()
