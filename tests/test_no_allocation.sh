#!/bin/sh
# The query code must not know how to allocate: no object of these folders refers to malloc and its kin. The check of a
# planned path (verify_path.c, verify_chain.c) is no query: it keeps a robot and its cell.
# usage: test_no_allocation.sh OBJECT_DIR   (of the libraries: build/src/CMakeFiles)
set -eu
cd "$1"
objects=$(find apart_*.dir -path apart_counted.dir -prune -o -path apart_io.dir -prune -o -name '*.o' -print;
    cd apart.dir && find base math shape solvers api nd batch motion contact verify -name '*.o' ! -name 'verify_path*' ! -name 'verify_chain*' | sed 's|^|apart.dir/|')
# shellcheck disable=SC2086
if nm -A -u $objects | grep -E ' (malloc|calloc|realloc|aligned_alloc|free)(@.*)?$'; then
    echo "these allocate" && exit 1
fi
echo "$(echo "$objects" | wc -l) objects, none allocates"
# The hull builder asks the caller's allocator (or malloc, its default) for all memory: nothing of libc that takes its own.
builder=$(find apart.dir/exact apart.dir/quickhull apart.dir/hull -name '*.o')
[ -n "$builder" ]
# shellcheck disable=SC2086
if nm -A -u $builder | grep -E ' (calloc|realloc|aligned_alloc|qsort|tmpfile|fopen|strdup)(@.*)?$'; then
    echo "these take memory or files behind the allocator's back" && exit 1
fi
[ "$(echo "$objects" | wc -l)" -gt 20 ]
