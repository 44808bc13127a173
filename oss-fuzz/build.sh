#!/bin/bash -eu
# Builds every fuzz target into $OUT with its corpus and dictionary, as OSS-Fuzz asks for it: CC, CFLAGS, CXX, CXXFLAGS, OUT and
# LIB_FUZZING_ENGINE are given. tools/oss-fuzz runs it with Debian's clang.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ -d "$top/fuzz" ] || top=$SRC/apart
work=${WORK:-$top/build/oss-fuzz}/apart
mkdir -p "$work" "$OUT"
cmake -S "$top" -B "$work" -DCMAKE_BUILD_TYPE=None -DAPART_BUILD_FUZZ=ON -DAPART_BUILD_TESTS=OFF -DAPART_BUILD_EXAMPLES=OFF \
    -DAPART_BUILD_CLI=ON -DAPART_LAB_COUNT=OFF -DAPART_OPENMP=OFF -DAPART_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DCMAKE_EXE_LINKER_FLAGS="${LDFLAGS:-}"
cmake --build "$work" -j "$(nproc)"
for source in "$top"/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    name=${target#fuzz_}
    cp "$work/fuzz/$target" "$OUT/"
    if [ -d "$top/fuzz/corpus/$name" ]; then
        (cd "$top/fuzz/corpus/$name" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
    fi
    if [ -f "$top/fuzz/$name.dict" ]; then
        cp "$top/fuzz/$name.dict" "$OUT/$target.dict"
    fi
done
