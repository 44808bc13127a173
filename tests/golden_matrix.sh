#!/bin/sh
# Builds the query library and test_golden with several compilers, optimisations and instruction sets, and compares the hashes.
# usage: golden_matrix.sh SOURCE_DIR WORK_DIR
set -eu
source_dir=$1
work_dir=$2
mkdir -p "$work_dir"

# build_one COMPILER LEVEL VARIANT: prints the hash
build_one()
{
    flags="-std=c17 -ffp-contract=off -Wno-psabi $2 -I$source_dir/include -I$source_dir/src -I$source_dir/tests $(pkg-config --cflags check)"
    case $3 in
    plain) ;;
    no_simd) flags="$flags -DAPART_NO_SIMD" ;;
    avx2_fma) flags="$flags -mavx2 -mfma" ;;
    esac
    objects=$work_dir/$1$2_$3
    rm -rf "$objects"
    mkdir -p "$objects"
    sources=
    for file in "$source_dir"/src/base/*.c "$source_dir"/src/math/*.c "$source_dir"/src/simd/*.c "$source_dir"/src/hull/*.c \
        "$source_dir"/src/shape/*.c "$source_dir"/src/narrow/*.c "$source_dir"/src/motion/*.c "$source_dir"/tests/pairs.c \
        "$source_dir"/tests/moving_pairs.c "$source_dir"/tests/golden_motion.c "$source_dir"/tests/test_golden.c; do
        case $file in
        */hull/build_*) ;;
        *)  # the parts of query_unit.c are compiled there
            grep -q "^#include \"${file##*/narrow/}\"" "$source_dir/src/narrow/query_unit.c" || sources="$sources $file" ;;
        esac
    done
    "$1" $flags $sources -o "$objects/golden" $(pkg-config --libs check) -lm
    "$objects/golden" all
}

can_run_avx2=$(grep -c -w avx2 /proc/cpuinfo 2>/dev/null || true)

# build_all COMPILER: a line "COMPILER LEVEL VARIANT HASH" for each build
build_all()
{
    for level in -O0 -O3; do
        for variant in plain no_simd avx2_fma; do
            [ "$level" != -O0 ] || [ "$variant" = plain ] || continue # one build without optimisation is enough, and they run slowly
            if [ "$variant" != avx2_fma ] || [ "${can_run_avx2:-0}" != 0 ]; then
                hash=$(build_one "$1" "$level" "$variant" || echo failed)
                echo "$1 $level $variant $hash"
            fi
        done
    done
}

[ "${can_run_avx2:-0}" != 0 ] || echo "this CPU has no AVX2: avx2_fma skipped"
for compiler in gcc clang; do
    : >"$work_dir/$compiler.txt"
    if command -v "$compiler" >/dev/null; then
        build_all "$compiler" >"$work_dir/$compiler.txt" &
    else
        echo "$compiler is not installed: skipped"
    fi
done
wait
cat "$work_dir/gcc.txt" "$work_dir/clang.txt"
different=$(cat "$work_dir/gcc.txt" "$work_dir/clang.txt" | cut -d ' ' -f 4 | sort -u)
case $different in
"" | *failed*) echo "a build failed" && exit 1 ;;
0x????????????????) ;; # one hash for all
*) echo "the hashes differ" && exit 1 ;;
esac
