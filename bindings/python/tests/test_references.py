"""Reference counts, under a debug build of Python where Debian's python3-dbg is installed."""
import os
import shutil
import subprocess
import sys

import apart

HERE = os.path.dirname(os.path.abspath(__file__))


def test_reference_counts():
    python = shutil.which("python3-dbg") or sys.executable
    folder = os.path.dirname(os.path.dirname(os.path.abspath(apart.__file__)))
    done = subprocess.run([python, os.path.join(HERE, "references.py")], capture_output=True, text=True, timeout=250,
                          env=dict(os.environ, PYTHONPATH=folder, PYTHONMALLOC="debug"))
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
