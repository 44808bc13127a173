#!/bin/sh
# The query library and test_golden with several compilers, optimisations and instruction sets must give one hash.
# usage: golden_matrix.sh SOURCE_DIR WORK_DIR [TEST_GOLDEN COMPILER]
# TEST_GOLDEN: the test of an optimised build by COMPILER (gcc, clang): its levels stand for this compiler's -O3 plain and -O3 avx2_fma.
# A file is compiled once for all builds in which compiler, flags and preprocessed text are the same, and not again until one of them changes.
set -eu
source_dir=$1 work_dir=$2 built=${3:-} built_by=${4:-}
objects=$work_dir/objects
mkdir -p "$objects"
can_run_avx2=$(grep -c -w avx2 /proc/cpuinfo 2>/dev/null || true)

# What the golden queries need.
sources=
for room in base math exact quickhull hull topology mesh shape simplex solvers pair gjk depth kernels lanes query parts facets rays level api motion batch; do
    for file in "$source_dir/src/$room"/*.c; do
        sources="$sources $file"
    done
done
for file in pairs moving_pairs golden_motion golden_mesh golden test_golden; do
    sources="$sources $source_dir/tests/$file.c"
done

# compile_one COMPILER LEVEL ARCHITECTURE DEFINITION FILE: prints the object's path
compile_one()
{
    # Functions that must be inlined make a build without optimisation the slowest of all.
    inline=
    [ "$2" != -O0 ] || inline="-DAP_INLINE=static inline __attribute__((unused))"
    preprocessed=$objects/$1-$$.i
    # shellcheck disable=SC2086
    "$1" -std=c17 -E -P $2 $3 $4 ${inline:+"$inline"} $includes "$5" -o "$preprocessed"
    object=$objects/$( (echo "$version $2 $3 $5"; cat "$preprocessed") | sha256sum | cut -c 1-40).o
    if [ ! -f "$object" ]; then
        # shellcheck disable=SC2086
        "$1" -std=c17 -ffp-contract=off -Wno-psabi $2 $3 $4 ${inline:+"$inline"} $includes -c "$5" -o "$object.$$"
        mv "$object.$$" "$object"
    fi
    rm -f "$preprocessed"
    echo "$object"
}

# build_one COMPILER LEVEL VARIANT: prints the hash
build_one()
{
    includes="-I$source_dir/include -I$source_dir/src -I$source_dir/tests $(pkg-config --cflags check)"
    version=$("$1" --version | head -n 1)
    architecture='' definition=''
    case $3 in
    no_simd) definition=-DAPART_NO_SIMD ;;
    avx2_fma) architecture="-mavx2 -mfma" ;;
    esac
    list=
    for file in $sources; do
        object=$(compile_one "$1" "$2" "$architecture" "$definition" "$file") || return 1
        list="$list $object"
    done
    # shellcheck disable=SC2046,SC2086
    "$1" $list -o "$work_dir/golden-$1$2_$3" $(pkg-config --libs check) -lm && "$work_dir/golden-$1$2_$3" all
}

# show_one COMPILER LEVEL VARIANT: a line "COMPILER LEVEL VARIANT HASH"
show_one()
{
    case $3 in plain) of_build=baseline ;; avx2_fma) of_build=avx2 ;; *) of_build= ;; esac
    if [ "$2" = -O3 ] && [ "$1" = "$built_by" ] && [ -n "$of_build" ]; then
        echo "$1 $2 $3 $("$built" all "$of_build" || echo failed)"
    else
        echo "$1 $2 $3 $(build_one "$@" || echo failed)"
    fi
}

# show_all COMPILER: one build without optimisation is enough, and one of the plain form by each family of compilers. gcc 11 has other
# shuffles than gcc 12 (src/simd/lanes_vector.h).
show_all()
{
    case $1 in
    gcc)
        show_one gcc -O0 plain
        show_one gcc -O3 plain
        command -v gcc-11 >/dev/null || show_one gcc -O1 no_simd
        ;;
    gcc-11)
        show_one gcc-11 -O1 plain
        show_one gcc-11 -O1 no_simd
        return
        ;;
    *)
        show_one "$1" -O3 plain
        show_one "$1" -O1 no_simd
        ;;
    esac
    [ "${can_run_avx2:-0}" = 0 ] || show_one "$1" -O3 avx2_fma
}

[ "${can_run_avx2:-0}" != 0 ] || echo "this CPU has no AVX2: avx2_fma skipped"
for compiler in gcc gcc-11 clang; do
    : >"$work_dir/$compiler.txt"
    if command -v "$compiler" >/dev/null; then
        show_all "$compiler" >"$work_dir/$compiler.txt" &
    else
        echo "$compiler is not installed: skipped"
    fi
done
wait
find "$objects" -name '*.o' -mtime +7 -exec rm -f {} +
cat "$work_dir/gcc.txt" "$work_dir/gcc-11.txt" "$work_dir/clang.txt"
different=$(cat "$work_dir/gcc.txt" "$work_dir/gcc-11.txt" "$work_dir/clang.txt" | cut -d ' ' -f 4 | sort -u)
case $different in
"" | *failed*) echo "a build failed" && exit 1 ;;
0x????????????????) ;; # one hash for all
*) echo "the hashes differ" && exit 1 ;;
esac
