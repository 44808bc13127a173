"""Studies in shards (`apart job`), from Python: results as arrays, and drivers for engines that run shards.

    columns = apart.jobs.load("results/merged")      # a dict of NumPy arrays, read without copying
    apart.jobs.run("map.json", "results", shard=3, shards=32)

The program `apart` does the work, so that every engine starts the same thing; it must be on the PATH of every node, or
be named by the argument `program` or the variable APART.
"""
from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy

__all__ = ["ShardError", "load", "merge", "run"]


class ShardError(RuntimeError):
    """A shard that could not be computed; the message is the program's."""


def _call(program: str | None, *words: str) -> dict:
    command: list[str] = [program or os.environ.get("APART") or "apart", "job", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise ShardError(done.stderr.strip() or f"{' '.join(command)} ended with status {done.returncode}")
    return json.loads(done.stdout)


def run(study, directory, shard: int = 1, shards: int = 1, *, threads: int = 1, program: str | None = None) -> dict:
    """Compute one shard, or what is missing of it. Returns what it holds: first, count, digest."""
    return _call(program, "run", str(study), "-o", str(directory), "--shard", f"{shard}/{shards}", "--threads", str(threads))


def merge(study, directory, shards: int | None = None, *, program: str | None = None) -> dict:
    """Check all shards and put them together in DIRECTORY/merged. Returns items, shards and the digest."""
    which = [] if shards is None else ["--shards", str(shards)]
    return _call(program, "merge", str(study), "-o", str(directory), *which)


def load(folder) -> dict:
    """The columns of a folder of results (a shard's, or `merged`) by name, mapped into memory."""
    folder = Path(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    return {name: numpy.load(folder / f"{name}.npy", mmap_mode="r") for name in manifest["columns"]}
