"""apart job: the same bits however a study is cut, killed, filled up, run twice or damaged.

usage: test_job.py PROGRAM SOURCE_DIR [shards]      (python3 with NumPy)
"""
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

program, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SHARDS = int(sys.argv[3]) if len(sys.argv) > 3 else 8
examples = source / "examples/jobs"


def job(*words, **options):
    return subprocess.run([program, "job", *map(str, words)], capture_output=True, text=True, **options)


def study(folder, **changes):
    """The example of a clearance map, small enough for a test, with everything it names by absolute path."""
    value = json.loads((examples / "clearance.json").read_text())
    value.update({key: str((examples / value[key]).resolve()) for key in ("robot", "scene")})
    value.update(vary={"random": 6400, "seed": 7}, piece=64)
    value.update(changes)
    path = Path(folder) / "study.json"
    path.write_text(json.dumps(value))
    return path


class Job(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp(prefix="apart-job-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.study = study(self.work)

    def good(self, *words, **options):
        done = job(*words, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def digest(self, directory, *words):
        return json.loads(self.good("merge", self.study, "-o", directory, "--json", *words).stdout)["digest"]

    def serial(self):
        self.good("run", self.study, "-o", self.work / "serial")
        return self.digest(self.work / "serial")

    def run_all(self, directory, shards=SHARDS):
        for number in range(1, shards + 1):
            self.good("run", self.study, "-o", directory, "--shard", f"{number}/{shards}")

    def nothing_half_written(self, directory, shards=SHARDS):
        self.assertEqual(sorted(path.name for path in directory.iterdir() if path.name != "merged"),
                         sorted(f"shard-{number}-of-{shards}" for number in range(1, shards + 1)))

    def test_shards_are_killed_at_random(self):
        """Every shard is killed until it ends by itself; two of them run at once."""
        directory, source_of_chance, kills = self.work / "killed", random.Random(1), 0
        for number in range(1, SHARDS + 1):
            wait = 0.0
            while not (directory / f"shard-{number}-of-{SHARDS}").is_dir():
                runs = [subprocess.Popen([program, "job", "run", self.study, "-o", directory, "--shard", f"{number}/{SHARDS}"],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                        for _ in range(2 if number % 3 == 0 else 1)]
                time.sleep(source_of_chance.uniform(0.0, wait))
                wait = 1.3 * wait + 0.002
                for run in runs:
                    run.kill()
                    message = run.communicate()[1]
                    self.assertIn(run.returncode, (0, -signal.SIGKILL), message)
                    kills += run.returncode != 0
        self.run_all(directory)
        self.assertGreater(kills, SHARDS // 2)
        self.assertEqual(self.digest(directory), self.serial())
        self.nothing_half_written(directory)

    def test_two_runs_of_one_shard(self):
        directory = self.work / "twice"
        for number in range(1, SHARDS + 1):
            runs = [subprocess.Popen([program, "job", "run", self.study, "-o", directory, "--shard", f"{number}/{SHARDS}"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(3)]
            for run in runs:
                message = run.communicate()[1]
                self.assertEqual(run.returncode, 0, message)
        self.assertEqual(self.digest(directory), self.serial())
        self.nothing_half_written(directory)

    def test_a_file_that_cannot_grow(self):
        """As on a full disk: what is complete is kept, and the next run goes on there."""
        directory = self.work / "full"

        def no_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        done = job("run", self.study, "-o", directory, "--shard", "1/2", preexec_fn=no_room)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be written", done.stderr)
        self.assertFalse((directory / "shard-1-of-2").exists())
        status = json.loads(job("status", self.study, "-o", directory, "--json").stdout)
        self.assertGreater(status[0]["pieces"], 0)
        self.assertLess(status[0]["pieces"], status[0]["of"])
        self.run_all(directory, 2)
        self.assertEqual(self.digest(directory), self.serial())

    def test_merge_names_what_is_missing_and_what_was_changed(self):
        directory = self.work / "some"
        self.run_all(directory, 4)
        shutil.rmtree(directory / "shard-3-of-4")
        done = job("merge", self.study, "-o", directory)
        self.assertEqual(done.returncode, 1)
        self.assertIn("shard 3 of 4 is missing", done.stderr)
        self.assertFalse((directory / "merged").exists())
        self.run_all(directory, 4)
        path = directory / "shard-2-of-4" / "distance.npy"
        content = bytearray(path.read_bytes())
        content[200] ^= 1
        path.write_bytes(content)
        done = job("merge", self.study, "-o", directory)
        self.assertEqual(done.returncode, 1)
        self.assertIn("shard-2-of-4/distance.npy: its digest is not that of the manifest", done.stderr)

    def test_audit_finds_a_wrong_node(self):
        """A node that computes wrongly writes files whose digests fit: the last bit of every hundredth distance."""
        directory = self.work / "wrong"
        self.run_all(directory, 4)
        self.assertEqual(job("audit", self.study, "-o", directory, "--sample", "0.2").returncode, 0)
        folder = directory / "shard-3-of-4"
        content = bytearray((folder / "lower.npy").read_bytes())
        for item in range(0, (len(content) - 128) // 8, 100):
            content[128 + 8 * item] ^= 1
        (folder / "lower.npy").write_bytes(content)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["columns"]["lower"] = hashlib.sha256(content).hexdigest()
        (folder / "manifest.json").write_text(json.dumps(manifest))
        self.good("merge", self.study, "-o", directory)
        done = job("audit", self.study, "-o", directory, "--sample", "0.2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("shard 3 of 4:", done.stderr)
        self.assertNotIn("shard 2 of 4:", done.stderr)

    def test_results_of_another_study_are_refused(self):
        directory = self.work / "other"
        self.run_all(directory, 2)
        self.study.write_text(self.study.read_text().replace('"seed": 7', '"seed": 8'))
        done = job("run", self.study, "-o", directory, "--shard", "1/2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("results of another study", done.stderr)

    def test_columns_are_what_the_program_says(self):
        import numpy
        self.serial()
        merged = self.work / "serial/merged"
        columns = {path.stem: numpy.load(path) for path in merged.glob("*.npy")}
        names = json.loads((merged / "manifest.json").read_text())["names"]
        joints = ["turn", "lift", "bend", "wrist", "grip"]
        self.assertEqual(columns["positions"].shape, (6400, len(joints)))
        self.assertTrue(numpy.all(columns["lower"] <= columns["upper"]))
        told = json.loads((examples / "clearance.json").read_text())
        for item in (0, 1000, 6399):
            where = ",".join(f"{name}={value!r}" for name, value in zip(joints, columns["positions"][item].tolist()))
            nearest = json.loads(subprocess.run(
                [program, "clearance", examples / told["robot"], "--scene", examples / told["scene"], "--joints", where,
                 "--nearest", "1", "--json", "--allow-limits"], capture_output=True, text=True).stdout)
            self.assertAlmostEqual(nearest["distance"], columns["distance"][item], delta=1e-12)
            self.assertEqual({nearest["a"], nearest["b"]}, set(names[columns["pair"][item]]))

    def test_every_kind_of_study(self):
        for name, changes in (("roadmap", {"vary": {"random": 200}}), ("tolerance", {"vary": {"random": 500}}), ("pairs", {})):
            value = json.loads((examples / f"{name}.json").read_text())
            value.update({key: str((examples / value[key]).resolve()) for key in ("robot", "scene") if key in value})
            value.update(changes, piece=64)
            self.study.write_text(json.dumps(value))
            shards = 1 if name == "pairs" else 3
            self.run_all(self.work / name, shards)
            self.good("run", self.study, "-o", self.work / f"{name}-serial")
            self.assertEqual(self.digest(self.work / name), self.digest(self.work / f"{name}-serial"))
            self.good("audit", self.study, "-o", self.work / name, "--sample", "0.5")

    def test_bad_studies_are_refused_with_their_place(self):
        for changes, message in (
                ({"study": "map"}, 'study: expected "clearance", "roadmap", "tolerance" or "pairs"'),
                ({"vary": {}}, 'vary: expected one of "grid", "random", "rows"'),
                ({"vary": {"random": 1.5}}, "vary.random: expected a whole number"),
                ({"vary": {"grid": {"knee": [0, 1, 5]}}}, "vary.grid.knee: "),
                ({"vary": {"grid": {"lift": [0, 1, 0]}}}, "vary.grid.lift: expected [FROM, TO, COUNT]"),
                ({"piece": 100}, "piece: expected a multiple of 64"),
                ({"robot": "nothing.urdf"}, "nothing.urdf: cannot open"),
                ({"shards": 3}, "shards: unknown key")):
            done = job("run", study(self.work, **changes), "-o", self.work / "bad")
            self.assertEqual(done.returncode, 2, changes)
            self.assertIn(message, done.stderr)
        self.assertFalse(any((self.work / "bad").iterdir()) if (self.work / "bad").exists() else False)
        done = job("run", study(self.work), "-o", self.work / "bad", "--shard", "5/4")
        self.assertIn("--shard: expected K/N", done.stderr)

    def test_dask(self):
        """Two workers, one of which is killed while it works."""
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            self.skipTest("python3-distributed is not installed")
        sys.path.insert(0, str(source / "bindings/python/apart"))
        import jobs.dask
        directory = self.work / "dask"
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster, \
                Client(cluster) as client:
            victims = [worker.process.process.pid for worker in cluster.workers.values()]
            killed = []

            def kill_one(done, shards):
                if not killed:
                    os.kill(victims[0], signal.SIGKILL)
                    killed.append(done)

            parts = jobs.dask.run(self.study, directory, SHARDS, client, program=str(program), progress=kill_one)
        self.assertEqual([part["shard"] for part in parts], list(range(1, SHARDS + 1)))
        self.assertEqual(jobs.merge(self.study, directory, program=str(program))["digest"], self.serial())
        self.assertEqual(jobs.load(directory / "merged")["distance"].shape, (6400,))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
