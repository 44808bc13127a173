#!/bin/sh
# Every source file of the library compiles by itself, without warnings, with SIMD and without:
#   test_standalone.sh PROJECT_DIR CC [FLAG ...]     FLAGs: include paths of other libraries
# Prints what the compiler says about each file that does not, and then the list of these files.
cd "$1" || exit 2
cc=$2
shift 2
jobs=$(nproc 2> /dev/null || echo 2)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As cmake/options.cmake; -Wno-psabi: vectors of four doubles stay inside the library.
flags="-std=c17 -ffp-contract=off -Wno-psabi -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Werror"

# VARIANT DEFINITION [FLAG ...]: the files that do not compile, into $work/VARIANT
check() {
    variant=$1 definition=$2
    shift 2
    # shellcheck disable=SC2016,SC2086
    find src -name '*.c' | sort | xargs -P "$jobs" -I FILE sh -c '
        file=$1 list=$2
        shift 2
        said=$("$@" "$file" 2>&1) || { printf "%s\n%s\n" "$file:" "$said" >&2; echo "$file" >> "$list"; }' \
        sh FILE "$work/$variant" "$cc" -fsyntax-only $flags -Iinclude $definition "$@"
}

count=$(find src -name '*.c' | wc -l)
if [ "$count" -lt 10 ]; then
    echo "only $count source files found under $(pwd)/src" >&2
    exit 1
fi
check "with_simd" "" "$@"
check "without_simd" "-DAPART_NO_SIMD" "$@"

# Attributes, builtins and vector types have one home.
failed=0
if grep -rnE '__attribute__|__builtin_|vector_size|__declspec|stdatomic\.h' src --include='*.[ch]' |
    grep -vE '^src/(base/(compiler|atomic)|simd/[a-z]*_vector)\.h:'; then
    echo "these ask more than C17 of the compiler, outside src/base/compiler.h" >&2
    failed=1
fi

for variant in with_simd without_simd; do
    [ -s "$work/$variant" ] || continue
    failed=1
    echo "$(wc -l < "$work/$variant") of $count files do not compile alone ($variant):" >&2
    sort "$work/$variant" >&2
done
exit $failed
