#!/usr/bin/env python3
"""What the program does to files and terminals: test_output.py PROGRAM

Outputs are complete or not there, whatever ends the program; links and permissions stay; two outputs of one name are
refused; a mark of UTF-8 is skipped; control characters are not printed.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
PAIR = ["distance", "box:1,1,1", "sphere:0.5", "--pose-b", "xyz=3,0,0"]
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("wrong: " + what)


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, **options)


def content(path):
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def write(path, text):
    with open(path, "wb") as file:
        file.write(text)


def litter(pid):
    """What an earlier program with this number might have left."""
    write("run.json.%d.tmp" % pid, b"litter")


def end_while_writing(how, prefix=(), sees_name=None):
    """Ends a long simulation while it records. Returns the names in the folder and the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "run.json")
        write(target, b"old")
        process = subprocess.Popen([*prefix, PROGRAM, "simulate", "pile", "--record", "run.json"], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            time.sleep(0.05)
            if process.poll() is not None or sees_name is None or any(name.endswith(".tmp") for name in os.listdir(folder)):
                break
        else:
            check(False, "%s: no temporary file was seen" % sees_name)
        time.sleep(0.3)
        process.send_signal(how)
        status = process.wait(timeout=60)
        check(content(target) == b"old", "%s: the old content is gone" % how)
        return sorted(os.listdir(folder)), status


def signals_leave_nothing():
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        names, status = end_while_writing(how)
        check(status == -how, "%s: the status is %d" % (how, status))
        if how != signal.SIGKILL or sys.platform == "linux":
            check(names == ["run.json"], "%s leaves %s" % (how, names))


def signals_remove_named_files():
    """Without /proc a file without a name could never get one: the temporary file has a name then."""
    prefix = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    if subprocess.run([*prefix, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("no namespaces here: files with a name are not tested")
        return
    for how in (signal.SIGINT, signal.SIGTERM):
        names, status = end_while_writing(how, prefix, "without /proc")
        check(status == -how and names == ["run.json"], "without /proc, %s leaves %s (status %d)" % (how, names, status))


def litter_is_in_nobodys_way(folder):
    os.chdir(folder)
    done = subprocess.run([PROGRAM, *PAIR, "--record", "run.json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          preexec_fn=lambda: litter(os.getpid()))
    check(done.returncode == 0, "a file left by an earlier run is in the way: %r" % done.stderr)
    check(content("run.json").startswith(b"{"), "the recording is not there")


def links_and_permissions_stay(folder):
    os.chdir(folder)
    os.mkdir("far")
    write("far/target.svg", b"old")
    os.chmod("far/target.svg", 0o600)
    os.symlink("far/target.svg", "link.svg")
    os.symlink("far/none.svg", "dangling.svg")
    os.symlink("loop.svg", "loop.svg")
    for name in ("link.svg", "dangling.svg"):
        check(run(*PAIR, "--svg", name).returncode == 0 and os.path.islink(name), name + " is no longer a link")
    check(b"<svg" in content("far/target.svg"), "the target of the link is not written")
    check(os.stat("far/target.svg").st_mode & 0o7777 == 0o600, "the permissions of the target changed")
    check(b"<svg" in content("far/none.svg"), "the target of a link to nothing is not written")
    check(run(*PAIR, "--svg", "loop.svg").returncode == 2, "a link to itself is written")
    check(sorted(os.listdir("far")) == ["none.svg", "target.svg"], "litter beside the target")
    check(run("hull", os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/cube.obj"), "-o", "link.svg/x.obj").returncode == 2,
          "a file in a file is written")


def one_name_for_two_outputs(folder):
    os.chdir(folder)
    os.symlink("x", "alias")
    for first, second in (("x", "x"), ("x", "./x"), ("alias", "x"), (os.path.join(folder, "x"), "x")):
        done = run(*PAIR, "--svg", first, "--record", second)
        check(done.returncode == 2 and b"one file" in done.stderr, "%s and %s are accepted" % (first, second))
        check(not os.path.exists("x") and done.stdout == b"", "something was written before the refusal")
    check(run(*PAIR, "--svg", "/dev/null", "--record", "/dev/null").returncode == 0, "two outputs to /dev/null are refused")
    with open("y", "wb") as out:
        done = subprocess.run([PROGRAM, *PAIR, "--svg", "y"], stdout=out, stderr=subprocess.PIPE, check=False)
    check(done.returncode == 2 and content("y") == b"", "standard output and --svg are one file")
    check(run("plan", "-o", "z", "--record", "z/recording.json").returncode == 2 and not os.path.exists("z"), "plan -o and --record write one file")
    os.makedirs("z", exist_ok=True)
    check(run("plan", "-o", "z", "--record", "z/../z/tool.csv").returncode == 2 and os.listdir("z") == [], "plan -o and --record write one file by two names")


def marks_of_utf8_are_skipped(folder, data):
    os.chdir(folder)
    mark = b"\xef\xbb\xbf"
    for name in ("arm.urdf", "arm.csv", "arm.json", "arm.srdf", "cell.json", "wall.json", "cube.obj", "mixed.cases", "points.txt", "octa.off"):
        write(name, mark + content(os.path.join(data, name)))
    write("line.csv", mark + b"x,y,z\n2.8,0.1,0\n2.7,0.2,0\n")
    for command in (["clearance", "arm.urdf", "--traj", "arm.csv", "--scene", "wall.json", "--srdf", "arm.srdf"], ["clearance", "arm.json", "--joints", ""],
                    ["scene", "cell.json"], ["hull", "cube.obj"], ["hull", "points.txt"], ["hull", "octa.off"], ["cases", "mixed.cases"]):
        marked = run(*command)
        plain = run(*command, cwd=data)
        check(marked.returncode == plain.returncode and marked.stdout == plain.stdout, "%s: %r" % (command, marked.stderr))
    result = run(*PAIR, "--json").stdout
    write("result.json", mark + result)
    check(run("verify", *PAIR[1:], "--result", "result.json").returncode == 0, "a result with a mark")
    done = run("plan", "--path", "line.csv", "--step", "0.2")
    check(b"expected" not in done.stderr and done.returncode in (0, 1), "a path with a mark: %r" % done.stderr)


def terminals_are_not_steered(folder):
    os.chdir(folder)
    cube = content(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/cube.obj"))
    names = ("a\x1b[2Jb.obj", "a\x9bb.obj", "a\rb.obj")
    for name in names:
        write(name, cube)
        for command in (["hull", name], ["distance", name, "sphere:1"], ["hull", name + "x"], ["distance", name, "nonsense:" + name]):
            done = run(*command)
            shown = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
            check(not any(c in shown for c in "\x1b\x9b\r"), "%r is printed as it is: %r" % (name, shown))
    for character in ("\\u001b", "\\u009b", "\\n", "\\u007f"):
        write("scene.json", ('{"bodies": [{"name": "a%sb", "shape": "sphere:1"}, {"name": "c", "shape": "sphere:1"}]}' % character).encode())
        done = run("scene", "scene.json")
        check(done.returncode == 2 and b"control character" in done.stderr and b"scene.json:1" in done.stderr, "a name with %s: %r" % (character, done.stderr))
    urdf = '<robot name="r"><link name="a"/><link name="b&#x9b;c"/><joint name="j" type="fixed"><parent link="a"/><child link="b&#x9b;c"/></joint></robot>'
    write("robot.urdf", urdf.encode())
    done = run("clearance", "robot.urdf")
    check(done.returncode == 2 and b"control character" in done.stderr and b"\xc2\x9b" not in done.stderr, "a link: %r" % done.stderr)


def main():
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cli/data")
    signals_leave_nothing()
    signals_remove_named_files()
    for test in (litter_is_in_nobodys_way, links_and_permissions_stay, one_name_for_two_outputs, terminals_are_not_steered):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
            os.chdir("/")
    with tempfile.TemporaryDirectory() as folder:
        marks_of_utf8_are_skipped(folder, data)
        os.chdir("/")
    print("%d wrong" % len(failures))
    sys.exit(1 if failures else 0)


main()
