"""How far apart are two bodies? Signed distances with certified bounds, and a proof in every answer.

    import apart
    r = apart.distance(apart.hull(points), apart.box([0.5, 1, 0.25]), pose_b=T)     # T: a 4x4 array
    r.distance, r.lower, r.upper, r.a, r.b, r.normal, r.relation, r.verify()

The words are those of the C library and of the program; docs/python.md is the guide.
"""
from . import _apart
from ._apart import *          # noqa: F401,F403
from ._apart import __version__
from ._show import recording, show

__all__ = sorted([name for name in dir(_apart) if not name.startswith("_")] + ["recording", "show"]) + ["__version__"]
