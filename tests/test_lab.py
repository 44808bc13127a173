#!/usr/bin/env python3
"""The lab's quick run: its files, and the shapes of the papers' results that do not depend on the machine, judged anew from the CSV files.

usage: test_lab.py PROGRAM COUNTING_PROGRAM
"""
import base64
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program, counter = map(os.path.abspath, sys.argv[1:3])
work = pathlib.Path(tempfile.mkdtemp(prefix="apart-lab-"))
has_gnuplot = shutil.which("gnuplot") is not None
failed = checks = 0
# The errata are no queries, the arm's are proved in other tests; the bodies of the printed geometric algorithm have no faces for the exact arithmetic.
WITHOUT_QUERIES = ("errata", "arm")
WITHOUT_FACES = WITHOUT_QUERIES + ("literal",)


def expect(condition, text):
    global failed, checks
    checks += 1
    if not condition:
        failed += 1
        print(f"FAILED: {text}", file=sys.stderr)


def run(*arguments, path=None, command=program):
    environment = dict(os.environ, **({"PATH": path} if path is not None else {}))
    return subprocess.run([command, "lab", *arguments], capture_output=True, text=True, env=environment, cwd=work)


def rows(directory, name):
    with open(directory / f"{name}.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    for row in table:
        for key, value in row.items():
            try:
                row[key] = float(value)
            except ValueError:
                pass
    expect(table, f"{name}.csv has rows")
    return table


def of(table, **where):
    return [row for row in table if all(row[key] == value for key, value in where.items())]


def check_run():
    """Everything, quickly."""
    out = work / "all"
    done = run("all", "--quick", "--json", "-o", str(out))
    expect(done.returncode == 0, f"the quick run exits with {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    expect(report["good"] and report["quick"] and report["seed"] == 1, "the JSON says good, quick, seed 1")
    listed = [e["name"] for e in json.loads(run("list", "--json").stdout)["experiments"]]
    expect([e["name"] for e in report["experiments"]] == listed and len(listed) >= 23, "all experiments ran in the listed order")
    for experiment in report["experiments"]:
        texts = [c["text"] for c in experiment["checks"]]
        expect(all(c["holds"] for c in experiment["checks"] if c["kind"] == "must"), f"{experiment['name']}: what must hold holds")
        if experiment["name"] not in WITHOUT_QUERIES:
            expect(any("apart_verify refutes none" in t for t in texts), f"{experiment['name']} checks its answers by apart_verify")
        if experiment["name"] not in WITHOUT_FACES:
            expect(any("exact arithmetic finds every" in t for t in texts), f"{experiment['name']} checks a sample exactly")
        for name in experiment["files"]:
            expect((out / name).stat().st_size > 0, f"{name} is not empty")
        expect(any(name.endswith(".csv") for name in experiment["files"]), f"{experiment['name']} writes raw data")
    print("seconds: " + ", ".join(f"{e['name']} {e['seconds']:.1f}" for e in report["experiments"]))
    return out, report


def check_report(out, report):
    html = (out / "report.html").read_text(encoding="utf-8")
    for experiment in report["experiments"]:
        expect(f'<section id="{experiment["name"]}">' in html, f"the report has a section {experiment['name']}")
        figures = [n for n in experiment["files"] if n.endswith(".svg")]
        expect(not has_gnuplot or experiment["name"] in ("footnote", "certificate", "errata") or figures, f"{experiment['name']} has a figure")
        for name in figures:
            expect((out / name.replace(".svg", ".png")).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n", f"{name} comes as PNG too")
            expect(base64.b64encode((out / name).read_bytes()).decode() in html, f"{name} is inline in the report")
            expect(b"</svg>" in (out / name).read_bytes(), f"{name} is a complete SVG")
    sources = re.findall(r'(?:src|href)="([^"]*)', html)
    expect(all(s.startswith(("data:", "#")) for s in sources), "the report is self-contained")
    for words in ("processor", "The paper.", "Here.", "What agrees and what does not", "exact whole-number arithmetic"):
        expect(words in html, f"the report says '{words}'")


def check_verdicts(out, report):
    """results.md and claims.csv say the same as the run; the numbers follow from the raw data (check_results.py)."""
    claims = {c["id"]: c["verdict"] for e in report["experiments"] for c in e["checks"] if c["kind"] == "claim"}
    judged = {row["id"]: row["verdict"] for row in rows(out, "claims")}
    expect(claims == judged and len(claims) >= 40, f"{len(claims)} claims, {len(judged)} in claims.csv")
    done = subprocess.run([sys.executable, str(pathlib.Path(__file__).parent / "check_results.py"), str(out / "results.md"), str(out)], capture_output=True, text=True)
    expect(done.returncode == 0, f"check_results.py: {done.stdout}{done.stderr}")


def operations(row):
    return row["tracked_operations"]


def sequence(row):
    """Multiplications and divisions a query over whole sequences of 20, without transforms."""
    return row["multiplications"] + row["divisions"] - row["of_these_transforms"]


def check_varied(out):
    """The same at the paper's distances, by both steps, and split by what it is spent on."""
    table = rows(out, "tracked-varied")
    near = [r for r in of(table, centres=4, turn=0) if r["vertices"] <= 20]
    expect(len(near) == 8, "one diameter apart: two steps, four sizes")
    for row in near:
        expect(70 <= row["sequence_operations"] <= 140, f"{row['vertices']:.0f} vertices, step {row['step']}: {row['sequence_operations']:.1f} operations")
    small = [r for r in of(table, turn=0) if r["vertices"] <= 20]
    expect(len(small) == 24, "six scenes without a turn, four sizes")
    for row in small:
        work = row["of_these_supports_apart"] + row["sub_algorithm_apart"] + 6
        expect(60 <= work <= 140, f"the library, {row['vertices']:.0f} vertices, centres {row['centres']}: {work:.1f} operations")
        expect(row["of_these_supports_apart"] > 0 and row["sub_algorithm_apart"] > 0 and row["apart_tracked_operations"] > work, "all are counted")
    for row in table:
        parts = row["of_these_supports"] + row["sub_algorithm"] + row["test_and_divisions"]
        expect(abs(parts - row["tracked_operations"]) < 0.01, "supports, sub-algorithm, test and divisions are all that is counted")
        expect(row["sequence_operations"] > row["tracked_operations"], "the first query of a sequence costs more")


def check_counts(out):
    check_varied(out)
    tracked = rows(out, "tracked")
    climb = of(tracked, algorithm="printed-climb")
    for row in climb:
        if 8 <= row["vertices"] <= 20:
            expect(70 <= sequence(row) <= 140, f"{row['vertices']:.0f} vertices: {sequence(row):.1f} operations a query of a tracked sequence, 70 to 140 expected")
        expect(1 <= row["tracked_loops"] <= 2, f"tracked loops {row['tracked_loops']}")
        expect(row["tracked_edges_climbed"] <= 1, f"edges climbed {row['tracked_edges_climbed']}")
    flat = [operations(r) for r in climb if 10 <= r["vertices"] <= 500]
    expect(len(flat) >= 3 and max(flat) <= 1.5 * min(flat), f"tracked operations from 10 to 500 vertices: {min(flat):.1f} to {max(flat):.1f}")
    for name in ("tracked", "cold"):
        for row in of(rows(out, name), algorithm="printed-scan"):
            expect(abs(3 * row["vertices_visited"] / row["loops"] / (6 * row["vertices"]) - 1) < 1e-3, f"{name}: a scan costs 6n multiplications a loop")
        for row in of(rows(out, name), algorithm="johnson-scan"):
            expect(row["multiplications"] > 3 * row["vertices_visited"] > 0, f"{name}: the instrumented library counts its scans")
    cold = of(rows(out, "cold"), algorithm="printed-climb")
    expect(all(1 <= r["loops"] <= 10 for r in cold), "cold loops")
    scan = {r["vertices"]: r for r in of(rows(out, "cold"), algorithm="printed-scan")}
    for row in cold:
        if row["vertices"] >= 200:
            expect(row["multiplications"] < 0.5 * scan[row["vertices"]]["multiplications"], "climbing saves multiplications on large hulls")
    for row in rows(out, "footnote"):
        n = int(row["points"])
        expect(row["values"] == n * 2 ** (n - 1), f"footnote, {n} points: values")
        expect(row["multiplications"] == (n * (n - 1) * (2 ** (n - 2) - 1) if n > 1 else 0), f"footnote, {n} points: multiplications")
        expect(row["dot_products"] == n * (n + 1) // 2, f"footnote, {n} points: dot products")


def check_answers(out):
    for row in rows(out, "penetration"):
        expect(row["least"] <= row["depth"] * (1 + 1e-12) + 1e-13 and row["depth"] <= row["most"] * (1 + 1e-12) + 1e-13, f"bounds around the depth: {row}")
    jump = rows(out, "jump")
    steps = [(q["x"] - p["x"], q["distance"] - p["distance"]) for p, q in zip(jump, jump[1:])]
    expect(all(abs(d) <= x * (1 + 1e-9) for x, d in steps), "the signed distance does not jump")
    expect(min(r["distance"] for r in jump) < -0.5, "the pass goes deep")
    for row in rows(out, "faces"):
        expect(row["same"] == 1, f"enumeration and hull builder agree on {row['body']}, {row['vertices']:.0f} vertices")
        if row["body"] == "sphere":
            expect(row["faces"] == 2 * row["vertices"] - 4 and row["edges"] == 3 * row["vertices"] - 6, "Euler's formula")
    expect(all(r["wrong"] == 0 for r in of(rows(out, "certificate"), algorithm="apart")), "certified answers are right")
    worst = max(r["largest_error_in_eps_size"] for r in of(rows(out, "solvers"), solver="apart, certified"))
    expect(worst < 64, f"certified errors: {worst}")


def check_repeatable():
    """Counts belong to the seed, not to the machine."""
    def counted(directory):
        return [(r["vertices"], r["algorithm"], r["multiplications"], r["loops"], r["edges_climbed"]) for r in rows(directory, "tracked")]
    expect(run("fig4", "--quick", "-o", "again").returncode == 0, "a figure's name is a name")
    expect(run("tracked", "--quick", "--seed", "2", "-o", "it's other").returncode == 0, "another seed")
    expect(counted(work / "again") == counted(work / "all"), "the same seed gives the same counts")
    expect(counted(work / "it's other") != counted(work / "all"), "another seed gives others")


def check_errors():
    for arguments, words in [
        (["nothing"], "unknown experiment 'nothing'"),
        (["trackd"], "did you mean 'tracked'?"),
        ([], "expected EXPERIMENT"),
        (["cold", "--seed", "x"], "'x' is not a whole number"),
        (["footnote", "-o", "all/report.html"], "not a directory"),
        (["footnote", "-o", "all/report.html/below"], "cannot make the directory"),
        (["footnote", "-o", "/proc"], "cannot write in /proc"),
    ]:
        done = run(*arguments)
        expect(done.returncode == 2 and words in done.stderr and not done.stdout, f"{arguments}: exit {done.returncode}, {done.stderr.strip()}")


def check_without_gnuplot():
    (work / "empty").mkdir()
    done = run("stops", "--quick", "-o", "bare", path=str(work / "empty"))
    expect(done.returncode == 0 and "gnuplot was not found" in done.stderr, f"without gnuplot: exit {done.returncode}, {done.stderr}")
    expect("Over both families" in done.stdout, "tables come without gnuplot")
    names = {p.name for p in (work / "bare").iterdir()}
    expect({"stops.csv", "report.html"} <= names and "stops.png" not in names, f"without gnuplot: {names}")
    expect("gnuplot is not installed" in (work / "bare/report.html").read_text(encoding="utf-8"), "the report says why it has no figure")


def check_places():
    """As installed: the counting program in ../libexec/apart; and not at all."""
    (work / "prefix/bin").mkdir(parents=True)
    installed = shutil.copy(program, work / "prefix/bin/apart")
    done = run("footnote", "--quick", "-o", "lost", command=installed)
    expect(done.returncode == 2 and "counting program is missing" in done.stderr, f"without its counting program: {done.returncode}, {done.stderr}")
    (work / "prefix/libexec/apart").mkdir(parents=True)
    shutil.copy(counter, work / "prefix/libexec/apart/apart-lab-count")
    done = run("footnote", "--quick", "-o", "found", command=installed)
    expect(done.returncode == 0, f"installed: exit {done.returncode}, {done.stderr}")


try:
    directory, summary = check_run()
    check_report(directory, summary)
    check_verdicts(directory, summary)
    check_counts(directory)
    check_answers(directory)
    check_repeatable()
    check_errors()
    check_without_gnuplot()
    check_places()
finally:
    shutil.rmtree(work)
print(f"{checks} checks, {failed} failed")
sys.exit(1 if failed else 0)
