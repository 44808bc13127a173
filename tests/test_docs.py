#!/usr/bin/env python3
"""Keeps the documentation true: every link leads somewhere, every shown command prints what is shown.

usage: test_docs.py PROJECT_DIR PROGRAM

A block that starts with "$ apart" is run in the project's directory. Lines after "..." are looked for in the output as they stand; without "..." the whole output must be shown.
"""
import pathlib
import re
import subprocess
import sys

project, program = pathlib.Path(sys.argv[1]), sys.argv[2]
pages = sorted([*project.glob("*.md"), *project.glob("docs/**/*.md"), *project.glob("apps/*/*.md")])
failed = links = commands = 0


def complain(page, text):
    global failed
    failed += 1
    print(f"{page.relative_to(project)}: {text}", file=sys.stderr)


def check_links(page, text):
    global links
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if not target.startswith("http"):
            links += 1
            if not (page.parent / target).exists():
                complain(page, f"{target} does not exist")


def check_block(page, block):
    """One shell command after another, each with its output."""
    global commands
    status = 0
    for part in re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        if command == "echo $?":
            printed = f"{status}\n"
        else:
            run = subprocess.run(command.replace("apart", program, 1), shell=True, capture_output=True, text=True, cwd=project)
            printed, status = run.stdout + run.stderr, run.returncode
        commands += 1
        cut = shown.startswith("...\n")
        if (shown[4:].strip() not in printed) if cut else (shown.strip() != printed.strip()):
            complain(page, f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}")


for page in pages:
    text = page.read_text(encoding="utf-8")
    check_links(page, text)
    for block in re.findall(r"^```\n(\$ apart .*?)^```", text, flags=re.M | re.S):
        check_block(page, block)

print(f"{len(pages)} pages, {links} links, {commands} commands, {failed} wrong")
sys.exit(1 if failed or not commands or not links else 0)
