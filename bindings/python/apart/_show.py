"""apart.show: bodies, results and recordings in the viewer's page."""
import html
import json
import os
import sys
import tempfile
import webbrowser

from . import _apart

_TITLE, _DATA = "<title>", '<script type="application/json" id="apart-data">null'


def _page():
    """The text of the empty page that 'make viewer' builds and 'make install' installs."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("APART_VIEWER", ""), os.path.join(here, "viewer.html"),
              os.path.join(sys.prefix, "share", "apart", "viewer.html"), "/usr/local/share/apart/viewer.html",
              "/usr/share/apart/viewer.html", os.path.join(here, "..", "..", "viewer", "viewer.html"),
              os.path.join(here, "..", "..", "..", "build", "viewer", "viewer.html")]
    for place in places:
        if place and os.path.isfile(place):
            with open(place, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError("the viewer's page is not here: 'make viewer' builds it; $APART_VIEWER may say where it is")


def _shape(shape):
    if shape.text is not None:
        return {"shape": shape.text}
    if shape.hull is not None:
        return {"vertices": shape.hull.vertices.tolist(), "faces": [face.tolist() for face in shape.hull.faces],
                "round": shape.radius}
    hull = _apart.hull(_apart.surface(shape)[0])      # in many directions: enough to draw
    return {"vertices": hull.vertices.tolist(), "faces": [face.tolist() for face in hull.faces]}


def _rows(pose):
    return pose.matrix[:3].ravel().tolist()


def _parts(body):
    """The shapes of a body with their poses."""
    if isinstance(body, _apart.Shape):
        return [(_shape(body), None)]
    if isinstance(body, _apart.Compound):
        return [(_shape(shape), _rows(pose)) for shape, pose in body]
    mesh = body if isinstance(body, _apart.Mesh) else _apart.mesh(body)
    return [({"mesh": True, "vertices": mesh.vertices.tolist(), "faces": mesh.faces.tolist()}, None)]


def recording(bodies, frames, title="apart"):
    """A recording (docs/recording.md) of bodies in motion: a list of bodies, or a dict from names to bodies, and for
    each frame a list of poses, or (poses, results)."""
    named = list(bodies.items()) if isinstance(bodies, dict) else [(str(i), body) for i, body in enumerate(bodies)]
    shapes, entries = [], []
    for name, body in named:
        parts = []
        for shape, pose in _parts(body):
            parts.append({"shape": len(shapes), **({} if pose is None else {"pose": pose})})
            shapes.append(shape)
        entries.append({"name": name, "parts": parts})
    known = [body for _, body in named]
    steps = []
    for t, frame in enumerate(frames):
        poses, results = frame if isinstance(frame, tuple) else (frame, [])
        pairs = [_pair(r, known) for r in sorted(results, key=lambda r: r.distance)]
        steps.append({"t": t, "poses": [_rows(_apart.pose(pose)) for pose in poses], "pairs": pairs})
    return {"apart_recording": 1, "kind": "scene", "title": title, "shapes": shapes, "bodies": entries, "frames": steps}


def _pair(result, bodies):
    a = next(i for i, body in enumerate(bodies) if body is result.body_a)
    b = next(i for i, body in enumerate(bodies) if body is result.body_b and i != a)
    return {"a": a, "b": b, "distance": result.distance, "lower": result.lower, "upper": result.upper,
            "point_a": result.a.tolist(), "point_b": result.b.tolist(), "normal": result.normal.tolist()}


def _content(things, pose_a, pose_b):
    first = things[0]
    if isinstance(first, dict):
        return first
    if isinstance(first, (str, os.PathLike)):
        with open(first, encoding="utf-8") as file:
            return json.load(file)
    if isinstance(first, _apart.Impact):
        first = first.at
    result = first if isinstance(first, _apart.Result) else _apart.distance(*things, pose_a=pose_a, pose_b=pose_b)
    frame = ([result.pose_a, result.pose_b], [result])
    return recording({"A": result.body_a, "B": result.body_b}, [frame], "distance %.9g" % result.distance)


def _in_notebook():
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def show(*things, pose_a=None, pose_b=None, path=None, height=600):
    """Shows a Result, an Impact, two bodies, or a recording (a dict, or the path of a file) in the viewer's page.

    In a notebook it is shown inline, else in the browser. With path= the page is written there and nothing is opened.
    Returns the page's path, or what a notebook displays."""
    if len(things) not in (1, 2):
        raise TypeError("show(): expected a Result, two bodies, or a recording")
    content = _content(things, pose_a, pose_b)
    data = json.dumps(content).replace("<", "\\u003c")
    title = html.escape(str(content.get("title", "apart")), quote=False)
    text = _page()
    if _TITLE not in text or _DATA not in text:
        raise ValueError("the viewer's page is of another version; 'make viewer' builds it")
    text = text.replace(_TITLE, _TITLE + title + " \u00b7 ", 1).replace(_DATA, _DATA[:-4] + data, 1)
    if path is None and _in_notebook():
        from IPython.display import HTML
        return HTML('<iframe style="width: 100%%; height: %dpx; border: 0" srcdoc="%s"></iframe>'
                    % (height, html.escape(text)))
    if path is None:
        with tempfile.NamedTemporaryFile("w", suffix=".html", prefix="apart-", delete=False, encoding="utf-8") as file:
            file.write(text)
        webbrowser.open("file://" + file.name)
        return file.name
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return os.fspath(path)
