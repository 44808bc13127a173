#!/bin/sh
# The reference documentation without a warning: test_doxygen.sh PROJECT_DIR OUTPUT_DIR. Skipped (77) where doxygen is missing.
set -eu
project=$1 output=$2
cd "$project"
# Without @file, doxygen passes over a header's functions in silence.
for header in include/apart/*.h; do
    head -n 1 "$header" | grep -q '^/\*\* @file' || { echo "$header does not open with /** @file" >&2; exit 1; }
done
command -v doxygen > /dev/null || { echo "skipped: doxygen is not installed"; exit 77; }
mkdir -p "$output"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $output"; } | doxygen -
