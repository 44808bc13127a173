#!/bin/sh
# The simulation, contacts and worlds by other compilers and optimisations, on the library as it was built, must give the same bits.
# usage: simulation_bits.sh SOURCE_DIR BUILD_DIR WORK_DIR TEST_SIMULATION
# What the query code does is compared by golden_matrix.sh; here the code above it is compiled anew.
set -eu
source_dir=$1 build_dir=$2 work_dir=$3 built=$4
mkdir -p "$work_dir"
expected=$("$built" bits 1)
[ "$("$built" bits 3)" = "$expected" ] || { echo "another number of threads gives other bits" && exit 1; }
echo "the build      $expected"

# show COMPILER LEVEL
show()
{
    command -v "$1" >/dev/null || { echo "$1 is not installed: skipped" && return 0; }
    out=$work_dir/$1$2
    rm -rf "$out" && mkdir -p "$out"
    includes="-I$source_dir/apps -I$source_dir/include -I$source_dir/src -I$source_dir/tests $(pkg-config --cflags check)"
    for file in "$source_dir"/apps/simulation/*.c "$source_dir"/src/contact/*.c "$source_dir"/src/world/*.c "$source_dir"/src/world_query/*.c \
        "$source_dir"/src/base/parallel.c "$source_dir"/tests/test_simulation.c; do
        # shellcheck disable=SC2086
        "$1" -std=c17 -ffp-contract=off -fno-math-errno -Wno-psabi "$2" $includes -c "$file" -o "$out/$(echo "${file#"$source_dir"/}" | tr / -).o"
    done
    # shellcheck disable=SC2046
    cc "$out"/*.o "$build_dir/src/libapart.a" $(pkg-config --libs check) -lm -o "$out/test"
    bits=$("$out/test" bits 1)
    echo "$1 $2 $bits"
    [ "$bits" = "$expected" ]
}

show clang -O3
show gcc -O0
