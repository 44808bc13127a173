#!/bin/sh
# Runs the tests of the Python package with Debian's Python: run.sh FOLDER_OF_THE_PACKAGE PYTHON [pytest's arguments].
# Ends with 77, "skipped", where Python has not what they need.
here=$(cd "$(dirname "$0")" && pwd)
built=$1 python=$2
shift 2
for module in numpy pytest; do
    "$python" -c "import $module" 2> /dev/null || {
        echo "the tests of the Python package need $module for $python (tools/deps test): skipped"
        exit 77
    }
done
[ -f "$built/apart/_apart.abi3.so" ] || { echo "the Python module was not built (python3-dev is missing): skipped"; exit 77; }
PYTHONPATH=$built PYTHONDONTWRITEBYTECODE=1 exec "$python" -m pytest -q -p no:cacheprovider "$@" "$here"
