"""A moment of fuzz.py, always the same sessions; "make fuzz" runs it for longer, with the address sanitizer."""
import os
import subprocess
import sys


def test_fuzz():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fuzz.py")
    answer = subprocess.run([sys.executable, program, "0", "1", "60"], capture_output=True, text=True, timeout=200, check=False)
    assert answer.returncode == 0, answer.stdout[-500:] + answer.stderr[-3000:]
    assert "fine (60 sessions from 1)" in answer.stdout
