#!/bin/sh
# Compiles every public header alone, as C11 and as C++17: test_headers.sh INCLUDE_DIR CC [CXX]. Without CXX only as C.
include=$1 cc=$2 cxx=$3
flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$include"
failed=0 count=0

# shellcheck disable=SC2086
for header in "$include"/apart/*.h; do
    name=apart/$(basename "$header")
    count=$((count + 1))
    # Twice, so that a missing include guard shows.
    source=$(printf '#include <%s>\n#include <%s>\nextern int not_empty;' "$name" "$name")
    if ! echo "$source" | $cc -std=c11 $flags -x c -; then
        echo "$name is not clean C11" >&2
        failed=1
    fi
    if [ -n "$cxx" ] && ! echo "$source" | $cxx -std=c++17 $flags -x c++ -; then
        echo "$name is not clean C++17" >&2
        failed=1
    fi
done

# What a library exports says so.
if grep -nE '^(const )?[a-z][a-z0-9_]* \**apart_[a-z0-9_]+\(' "$include"/apart/*.h | grep -vE ':(static|typedef|return) '; then
    echo "these declarations lack APART_API" >&2
    failed=1
fi

if [ "$count" -eq 0 ]; then
    echo "no headers in $include/apart" >&2
    exit 1
fi
exit $failed
