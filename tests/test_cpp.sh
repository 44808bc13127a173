#!/bin/sh
# Composites that would dangle do not compile; what borrows from names does. usage: test_cpp.sh PROJECT_DIR C++_COMPILER
set -u
dir=$1 cxx=$2
flags="-std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I$dir/include"
cases=12 failed=0
# shellcheck disable=SC2086
"$cxx" $flags -DCASE=0 "$dir/tests/cpp/dangling.cpp" || failed=1
for i in $(seq 1 $cases); do
    # shellcheck disable=SC2086
    if "$cxx" $flags -DCASE="$i" "$dir/tests/cpp/dangling.cpp" 2> /dev/null; then
        echo "case $i of tests/cpp/dangling.cpp compiles" >&2
        failed=1
    fi
done
[ $failed -eq 0 ] && echo "$cases cases do not compile"
exit $failed
