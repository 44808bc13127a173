"""Shards on a Dask cluster: `apart.jobs.dask.run("map.json", "results", 32, client)`.

Dask starts a shard again when the worker that had it is lost; what was computed of it is kept, as long as the folder of
the results is on a file system that the workers share.
"""
from __future__ import annotations

from typing import Any, Callable

from . import run as _run_shard

__all__ = ["run"]


def run(study, directory, shards: int, client: Any = None, *, threads: int = 1, program: str | None = None,
        retries: int = 10, progress: Callable[[int, int], object] | None = None) -> list:
    """Compute all shards on the cluster of `client` (the current one if None). Returns what each holds, in order.

    retries: how often a shard is tried again after an error of its own (a full disk, say); after a lost worker it is
    always. progress(done, shards) is called as shards are complete. An error that remains is raised as ShardError; the
    other shards are finished first.
    """
    from distributed import as_completed, get_client
    client = client or get_client()
    futures = [client.submit(_run_shard, study, directory, number, shards, threads=threads, program=program, pure=False,
                             retries=retries, key=f"apart-{study}-{number}-of-{shards}")
               for number in range(1, shards + 1)]
    for done, _ in enumerate(as_completed(futures), 1):
        if progress is not None:
            progress(done, shards)
    return client.gather(futures)
