#!/bin/sh
# The README's program prints what the README says. And what a small program pays: linked statically without the sections
# it does not use, it has at most 600 kB of code and constants.
# usage: test_size.sh PROJECT_DIR LIBRARY CC
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```/ { if (inside) exit; inside = /```c$/; next } inside' "$1/README.md" > "$work/program.c"
"$3" -O2 -I"$1/include" "$work/program.c" -o "$work/program" -Wl,--gc-sections "$2" -lm
"$work/program" > "$work/printed"
awk '/^```c$/ { program = 1 } /^```$/ && program { fences++; next } fences == 2' "$1/README.md" > "$work/expected"
diff "$work/expected" "$work/printed"
text=$(size "$work/program" | awk 'NR == 2 {print $1}')
echo "$text bytes of text"
[ "$text" -gt 100000 ] && [ "$text" -le 600000 ]
