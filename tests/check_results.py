#!/usr/bin/env python3
"""The page of the papers' claims against its numbers: every verdict follows from its limits, and numbers follow from the raw data.

usage: check_results.py RESULTS.md DIRECTORY     the directory has claims.csv and the CSV files of the same run
"""
import csv
import pathlib
import re
import sys

page, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
failed = checks = 0


def expect(condition, text):
    global failed, checks
    checks += 1
    if not condition:
        failed += 1
        print(f"FAILED: {text}", file=sys.stderr)


def rows(name):
    with open(directory / f"{name}.csv", encoding="utf-8", newline="") as file:
        return [{k: number(v) for k, v in row.items()} for row in csv.DictReader(file)]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def of(table, **where):
    return [row for row in table if all(row[key] == value for key, value in where.items())]


def tracked(row):
    return row["tracked_operations"]


def sequence(row):
    return row["multiplications"] + row["divisions"] - row["of_these_transforms"]


def right(table, **where):
    """Share of pairs answered right [%]."""
    chosen = of(table, **where)
    return 100 * sum(r["right"] for r in chosen) / sum(r["pairs"] for r in chosen)


def ratio_of_extremes(values):
    return max(values) / min(values)


def from_raw():
    """Claims' numbers computed anew from the raw data: id -> (low, high)."""
    out = {}
    climb = [r for r in of(rows("tracked"), algorithm="printed-climb") if 10 <= r["vertices"] <= 500]
    out["C8-operations"] = min(map(tracked, climb)), max(map(tracked, climb))
    out["C8-flat"] = (ratio_of_extremes([tracked(r) for r in climb]),) * 2
    out["C8-time"] = (ratio_of_extremes([r["ns_per_query"] for r in climb]),) * 2
    all_sizes = [r for r in of(rows("tracked"), algorithm="printed-climb") if 8 <= r["vertices"] <= 500]
    out["C3-tracked"] = min(r["tracked_loops"] for r in all_sizes), max(r["tracked_loops"] for r in all_sizes)
    out["C5-edges"] = min(r["tracked_edges_climbed"] for r in all_sizes), max(r["tracked_edges_climbed"] for r in all_sizes)
    cold = [r for r in of(rows("cold"), algorithm="printed-climb") if r["vertices"] <= 500]
    out["C3-cold"] = min(r["loops"] for r in cold), max(r["loops"] for r in cold)
    boxes = of(rows("boxes"), distance="mostly interfering", algorithm="printed-climb")
    ratios = [sequence(r) / sequence(of(boxes, bodies="hulls of 20", turn_degrees=r["turn_degrees"])[0]) for r in boxes if r["bodies"] != "hulls of 20"]
    out["C8-boxes-interfering"] = min(ratios), max(ratios)
    printed = rows("printed")
    out["C7-printed"] = (right(printed, algorithm="original", rule="printed", centres=1.2),) * 2
    out["G2-printed"] = (right(printed, algorithm="geometric", rule="printed", centres=2.5),) * 2
    out["D1-printed"] = (right(printed, algorithm="divide", rule="printed"),) * 2
    literal = [r for r in of(rows("literal"), dimension=3.0) if r["rule"].startswith("as printed")]
    out["G2-ends"] = (100 * sum(r["never_ends"] + r["wrong"] for r in literal) / sum(r["pairs"] for r in literal),) * 2
    static = rows("static")
    largest = max(r["vertices_a"] for r in static)
    last = {r["algorithm"]: r["ns_per_query"] for r in of(static, vertices_a=largest)}
    out["G7-combined"] = (last["johnson-scan"] / last["geometric-climb"],) * 2
    out["G7-combined-printed"] = (last["printed-scan"] / last["printed-climb"],) * 2
    sphere = of(rows("faces"), body="sphere")
    out["G6-hours-plain"] = (max(sphere, key=lambda r: r["vertices"])["printed_seconds"],) * 2
    turning = rows("rivals-tracking")
    out["C8-lin-canny"] = (of(turning, vertices=500.0, turn_degrees=0.0)[0]["vclip_steps"] / of(turning, vertices=8.0, turn_degrees=0.0)[0]["vclip_steps"],) * 2
    momentum = rows("rivals-momentum")
    out["R-nesterov"] = (sum(r["nesterov_loops"] / r["gjk_loops"] for r in momentum) / len(momentum),) * 2
    return out


def verdict(row):
    def within(name):
        return row[f"{name}_from"] <= row["low"] and row["high"] <= row[f"{name}_to"]
    return "agrees" if within("agrees") else "in part" if within("part") else "differs"


claims = {row["id"]: row for row in rows("claims")}
for name, row in claims.items():
    expect(row["verdict"] == verdict(row), f"{name}: {row['verdict']}, but the limits say {verdict(row)}")
    expect(row["part_from"] <= row["agrees_from"] and row["agrees_to"] <= row["part_to"], f"{name}: “in part” is the wider")
for name, (low, high) in from_raw().items():
    expect(name in claims, f"{name} is no claim")
    for key, value in (("low", low), ("high", high)):
        expect(abs(claims[name][key] - value) <= 2e-3 * abs(value) + 1e-9, f"{name}: {key} is {claims[name][key]:.6g}, the raw data say {value:.6g}")
text = page.read_text(encoding="utf-8")
listed = re.findall(r"^\| (\S+) \|.*\*\*(agrees|in part|differs)\*\*", text, re.M)
expect(dict(listed) == {name: row["verdict"] for name, row in claims.items()} and len(listed) == len(claims), "the page lists every claim once, with its verdict")
tally = re.search(r"^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| \d+ \| 0 \|$", text, re.M)
verdicts = [row["verdict"] for row in claims.values()]
expected = [len(verdicts), verdicts.count("agrees"), verdicts.count("in part"), verdicts.count("differs")]
expect(tally is not None and [int(x) for x in tally.groups()] == expected, f"the page counts {tally and tally.groups()}, there are {expected}")
print(f"{checks} checks, {failed} failed")
sys.exit(1 if failed else 0)
