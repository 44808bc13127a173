#!/bin/sh
# Installs the libraries into a temporary prefix, static and shared, and builds a program against each copy with CMake and with pkg-config.
# usage: test_install.sh SOURCE_DIR BUILD_DIR CC     BUILD_DIR: a finished build, static or shared
set -eu
source_dir=$1 build_dir=$2 cc=$3
expected="apart 0.2.0: distance 2.5"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR

# quietly COMMAND...: its output only if it fails
quietly()
{
    "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; echo "failed: $*" >&2; exit 1; }
}

# check_output NAME PROGRAM
check_output()
{
    output=$("$2") || { echo "$1: the program failed" >&2; exit 1; }
    [ "$output" = "$expected" ] || { echo "$1: got '$output', expected '$expected'" >&2; exit 1; }
    echo "$1: $output"
}

with_cmake() # NAME PREFIX
{
    quietly cmake -S "$source_dir/tests/consumer" -B "$work/$1-consumer" -DCMAKE_PREFIX_PATH="$2" -DCMAKE_C_COMPILER="$cc"
    quietly cmake --build "$work/$1-consumer"
    check_output "$1, CMake" "$work/$1-consumer/consumer"
}

with_pkg_config() # NAME PREFIX [--static]
{
    command -v pkg-config > /dev/null || { echo "$1, pkg-config: skipped, not installed"; return; }
    PKG_CONFIG_PATH=$(dirname "$(find "$2" -name apart-io.pc)")
    export PKG_CONFIG_PATH
    libdir=$(pkg-config --variable=libdir apart)
    # shellcheck disable=SC2046,SC2086
    quietly "$cc" -o "$work/$1-pc" "$source_dir/tests/consumer/main.c" $(pkg-config ${3:-} --cflags --libs apart-io) -Wl,-rpath,"$libdir"
    check_output "$1, pkg-config" "$work/$1-pc"
}

# The installed tree is moved before it is used: nothing in it may remember its prefix.
install_to() # BUILD NAME
{
    quietly cmake --install "$1" --prefix "$work/$2-first"
    mv "$work/$2-first" "$work/$2"
}

check_shared() # PREFIX
{
    command -v readelf > /dev/null && command -v nm > /dev/null || return 0
    for name in apart apart-io; do
        library=$(find "$1" -name "lib$name.so")
        readelf -d "$library" | grep -q "SONAME.*\[lib$name.so.0.2\]" || { echo "lib$name.so has another soname than lib$name.so.0.2" >&2; exit 1; }
        if nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^apart_[a-z0-9_]*$'; then
            echo "lib$name.so exports these private names" >&2
            exit 1
        fi
    done
}

install_to "$build_dir" given
with_cmake given "$work/given"
with_pkg_config given "$work/given" --static

# What is installed matters here, not how fast it is: functions that must be inlined make a debug build slow to compile.
quietly cmake -S "$source_dir" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON \
    -DCMAKE_C_FLAGS="-O0 -g0 '-DAP_INLINE=static inline __attribute__((unused))'" \
    -DAPART_BUILD_CLI=OFF -DAPART_BUILD_TESTS=OFF -DAPART_BUILD_EXAMPLES=OFF
quietly cmake --build "$work/build" -j 2
install_to "$work/build" shared
check_shared "$work/shared"
with_cmake shared "$work/shared"
with_pkg_config shared "$work/shared"
