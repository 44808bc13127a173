"""Fuzzes the Python package: fuzz.py [SECONDS [FIRST_SEED [LAST_SEED]]].

A session is what its seed says: calls of functions, methods and attributes, with arguments of the kinds that the stubs name, nearly
right ones, or things that nobody should pass; what a call returns may be an argument of the next. Only the documented exceptions may
come out, bounds are in order, the independent check refutes nothing, and a batch says what single calls say. A process that ends or
hangs is noticed by the one who started it; the file LOG, if it is set, ends with the session and the call, and "fuzz.py 0 SEED SEED" runs
the session again."""
import ast
import contextlib
import faulthandler
import gc
import io
import math
import os
import random
import sys
import tempfile
import time

import apart
import numpy as np

ALLOWED = (ValueError, TypeError, OverflowError, MemoryError, RuntimeError, IndexError, KeyError, AttributeError, OSError)
CALLS = 60  # of a session
SLOWEST = 120  # seconds: a session takes a fraction of one
# These start a browser or ask for data from elsewhere.
LEFT_OUT = {"show", "Error"}
# How much work is asked for.
WORK = {"vertices", "threads", "samples", "count", "shortcuts", "most_samples", "most_intervals", "hulls", "grid", "room", "tries", "facets", "capacity"}
WORDS = ["exact", "none", "bounds", "surface", "solid", "hull", "cover", "default", "johnson", "brute", "x", "", "a", "b", "tip", "distance", "\0", "é",
         "sphere:1", "box:1,2,3", "cylinder:1,2 xyz=1,2,3"]


def stubs():
    """The functions, and the methods of each class: name -> [(parameter, annotation)]."""
    path = os.path.join(os.path.dirname(apart.__file__), "__init__.pyi")
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())

    def parameters(node):
        every = node.args.posonlyargs + node.args.args
        return [(a.arg, ast.unparse(a.annotation) if a.annotation else "Any", False) for a in every if a.arg not in ("self", "cls")] + \
            [(a.arg, ast.unparse(a.annotation) if a.annotation else "Any", True) for a in node.args.kwonlyargs]

    functions, methods = {}, {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = parameters(node)
        elif isinstance(node, ast.ClassDef):
            methods[node.name] = {m.name: None if m.decorator_list else parameters(m) for m in node.body if isinstance(m, ast.FunctionDef)}
            functions[node.name] = methods[node.name].get("__new__") or []
    known = {name: p for name, p in functions.items() if hasattr(apart, name) and name not in LEFT_OUT}
    assert len(known) > 80
    return known, methods


class Session:
    def __init__(self, seed, functions, methods, log):
        self.log = log
        self.r = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.functions, self.methods = functions, methods
        self.names = sorted(functions)
        self.pool = [apart.sphere(1), apart.box([0.5, 1, 0.25]), apart.circle(1), apart.pose(xyz=(1, 2, 0.5)),
                     apart.hull(self.numbers.normal(size=(12, 3))), self.mesh(), self.robot(), apart.World(), apart.Cache(),
                     apart.boxes(self.numbers.random((5, 3))), apart.half_space([0, 0, 1], -1), apart.Cell(self.robot(), {"x": apart.sphere(0.1)})]
        self.history = []

    def mesh(self):
        return apart.mesh(np.eye(4)[:, :3] + self.numbers.normal(size=(4, 3)) * 0.1, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])

    def robot(self):
        robot = apart.Robot(name="r")
        robot.add_link("a")
        robot.add_part(0, apart.sphere(0.1))
        robot.add_link("tip")
        robot.add_part(1, apart.box([0.1, 0.2, 0.1]), [1, 0, 0])
        robot.add_joint("j", "a", "tip", lower=-1, upper=1)
        robot.finish()
        return robot

    # ---- values ----

    def number(self):
        kind = self.r.random()
        if kind < 0.7:
            return self.r.choice([0, 0.5, 1, -1, 2, 0.25, self.r.uniform(-3, 3)])
        if kind < 0.9:
            return self.r.choice([1e-300, 5e-324, 1e300, 1e8, -1e-12, 1e-160, 1e154])
        return self.r.choice([float("nan"), float("inf"), -float("inf"), -0.0, True, None, "1"])

    def integer(self):
        return self.r.choice([0, 1, 2, 3, -1, 7, 64, 2**31, 2**64, -2**70] if self.r.random() < 0.15 else [0, 1, 2, 3, 4])

    def array(self):
        shape = self.r.choice([(3,), (4, 4), (5, 3), (12, 3), (2, 7), (5, 7), (5, 4, 4), (3, 4), (5,), (6,), (5, 2), (2,), (1, 3), (0, 3), (3, 0), (1,),
                               (2, 3), (), (2, 2, 2, 2), (8, 3)])
        kind = self.r.random()
        if kind < 0.3:
            values = self.numbers.normal(size=shape)
        elif kind < 0.5:
            values = self.numbers.integers(-4, 5, size=shape) / 4
        elif kind < 0.6:
            values = self.numbers.integers(0, 5, size=shape)
        elif kind < 0.7:
            values = np.broadcast_to(np.eye(shape[-1]), shape).copy() if len(shape) >= 2 and shape[-1] == shape[-2] else np.zeros(shape)
        else:
            values = self.numbers.normal(size=shape) * self.r.choice([1e-300, 1e-160, 1e8, 1e300, math.inf, math.nan, 1e-320])
        return self.changed(np.asarray(values))

    def changed(self, values):
        kind = self.r.random()
        with np.errstate(all="ignore"):
            if kind < 0.6:
                return values
            if kind < 0.65:
                return values.tolist()
            if kind < 0.7:
                return values.T
            if kind < 0.75:
                return values[::-1] if values.ndim else values
            if kind < 0.8:
                return np.repeat(values, 2, axis=-1)[..., ::2] if values.ndim else values
            if kind < 0.95:
                return values.astype(self.r.choice(["f4", ">f8", "i4", "u4", "u1", "i8", "?", "f2", "c16", "O"]))
        values.setflags(write=False)
        return values

    def of_pool(self, *names):
        found = [x for x in self.pool if type(x).__name__ in names]
        return self.r.choice(found) if found else self.anything()

    def anything(self):
        kind = self.r.random()
        if kind < 0.5:
            return self.r.choice(self.pool)
        if kind < 0.75:
            return self.array()
        return self.r.choice([None, (), [], {}, {"a": 1}, object(), b"abc", memoryview(b"12345678"), lambda *a: None, "x", 1, -1, math.nan, [[1], 2],
                              range(3), np.datetime64("2020-01-01"), np.array(["a"]), iter([1, 2, 3]), type, apart.Shape])

    def argument(self, name, annotation):
        if self.r.random() < 0.08:
            return self.anything()
        for words, make in (("_Body", lambda: self.of_pool("Shape", "Hull", "Mesh", "Compound", "HullShape")),
                            ("_Pose", lambda: self.r.choice([self.of_pool("Pose"), None, self.array()])),
                            ("_Motion", lambda: self.of_pool("Motion", "Pose")),
                            ("Callable", lambda: lambda *a: self.r.choice([None, 1.0, [1, 0, 0], self.anything()])),
                            ("_Path", lambda: self.r.choice(["f", "f.obj", "f.stl", "f.json", "none.ply"])),
                            ("_Positions", lambda: self.r.choice([[0.5], [0.1], {"j": 0.2}, self.array()]))):
            if words in annotation:
                return make()
        if "Sequence[Shape]" in annotation or "Sequence[_Body" in annotation:
            return [self.of_pool("Shape", "Hull", "Mesh") for _ in range(self.r.randrange(4))]
        if "ArrayLike" in annotation or "NDArray" in annotation or "Sequence" in annotation:
            return self.array()
        if annotation.startswith("bool"):
            return self.r.random() < 0.5
        if annotation.startswith("int"):
            return self.r.choice([0, 1, 2, 5]) if name in WORK or name.startswith("max_") else self.integer()
        if annotation.startswith("float"):
            return self.number()
        if annotation.startswith("str") or annotation.startswith("Literal"):
            return self.r.choice(WORDS)
        for part in annotation.replace("|", " ").replace("[", " ").replace("]", " ").replace(",", " ").split():
            if any(type(x).__name__ == part for x in self.pool):
                return self.of_pool(part)
        return self.anything()

    # ---- calls ----

    def arguments(self, parameters):
        positional, named = [], {}
        for name, annotation, keyword in parameters:
            if self.r.random() < (0.75 if keyword else 0.1):
                if keyword:
                    continue
                break
            value = self.argument(name, annotation)
            if keyword:
                named[name] = value
            else:
                positional.append(value)
        return positional, named

    def call(self, label, function, parameters):
        positional, named = self.arguments(parameters)
        self.history.append((label, positional, named))
        self.log(label)
        try:
            result = function(*positional, **named)
        except ALLOWED:
            return None
        return result

    def keep(self, value):
        if value is None or isinstance(value, (bool, int, float, str)):
            return
        for item in value if isinstance(value, (list, tuple)) and len(value) < 8 else [value]:
            if not isinstance(item, np.ndarray) or item.size < 2000:
                self.pool.append(item)
        if len(self.pool) > 60:
            del self.pool[self.r.randrange(len(self.pool))]

    def step(self):
        if self.r.random() < 0.5:
            name = self.r.choice(self.names)
            self.keep(self.call("apart." + name, getattr(apart, name), self.functions[name]))
            return
        thing = self.r.choice(self.pool)
        methods = self.methods.get(type(thing).__name__)
        if methods:
            name = self.r.choice(sorted(methods))
            try:
                attribute = getattr(thing, name)
            except ALLOWED:
                return
            self.keep(self.call(f"{type(thing).__name__}.{name}", attribute, methods[name]) if methods[name] is not None and callable(attribute)
                      else attribute)

    # ---- what must hold ----

    def check(self, holds, what):
        if not holds:
            raise AssertionError(what)

    def check_pair(self):
        """Two bodies: bounds in order, nothing refuted, the batch's answer."""
        bodies = [x for x in self.pool if isinstance(x, apart.Shape)]
        a, b = self.r.choice(bodies), self.r.choice(bodies)
        pose = self.of_pool("Pose")
        self.history.append(("apart.distance", [a, b], {"pose_b": pose}))
        try:
            result = apart.distance(a, b, pose_b=pose)
        except ALLOWED:
            return
        self.check(result.lower <= result.distance <= result.upper, f"bounds in order: {result.lower} {result.distance} {result.upper}")
        self.check(result.verify().verdict != "refuted", f"refuted: {result.verify().reason}")
        if isinstance(pose, apart.Pose):
            batch = apart.distance_batch([a, b], np.stack([apart.pose().matrix, pose.matrix]), [[0, 1]])
            self.check(batch["lower"][0] <= result.upper and result.lower <= batch["upper"][0], "the batch agrees")

    def run(self):
        for _ in range(CALLS):
            self.step()
        self.check_pair()


def run_session(seed, functions, methods, log):
    log(f"session {seed}")
    faulthandler.dump_traceback_later(SLOWEST, exit=True)
    session = Session(seed, functions, methods, log)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            session.run()
        except BaseException:
            print(f"session {seed}, after {len(session.history)} calls, the last of them:", file=sys.stderr)
            for label, positional, named in session.history[-3:]:
                print(f"  {label} {positional!r} {named!r}"[:2000], file=sys.stderr)
            raise
    return len(session.history)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    first = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    last = int(sys.argv[3]) if len(sys.argv) > 3 else first + 10**9
    functions, methods = stubs()
    file = os.open(os.environ["LOG"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644) if "LOG" in os.environ else None

    def log(line):
        if file is not None:
            os.write(file, line.encode() + b"\n")

    start, calls, seed = time.time(), 0, first
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        while seed <= last and (len(sys.argv) > 3 or time.time() - start < seconds):
            calls += run_session(seed, functions, methods, log)
            seed += 1
        os.chdir("/")
    gc.collect()
    print(f"python: {calls} inputs in {round(time.time() - start)} s, fine ({seed - first} sessions from {first})")


main()
