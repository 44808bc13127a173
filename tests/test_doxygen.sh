#!/bin/sh
# The reference documentation without a warning: test_doxygen.sh PROJECT_DIR OUTPUT_DIR. Skipped (77) where doxygen is missing.
set -eu
project=$1 output=$2
command -v doxygen > /dev/null || { echo "skipped: doxygen is not installed"; exit 77; }
mkdir -p "$output"
cd "$project"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $output"; } | doxygen -
