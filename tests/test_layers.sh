#!/bin/sh
# Reads the #include lines and fails on an arrow that points the wrong way: test_layers.sh PROJECT_DIR.
#   src/FOLDER may include its own folder and the ones before it in `order`, by a relative path, and public headers (apart/io.h:
#   the rooms of libapart-io only);
#   programs and examples may include public headers and files of their own folder tree, nothing of src/.
order="base math simd exact quickhull hull topology mesh shape simplex solvers pair gjk depth kernels lanes query parts facets rays level api nd batch contact motion compound measure cover world world_query archive verify robot plan text mesh_files scene_files robot_files"
users="apps examples bindings"
cd "$1" || exit 2
root=$(pwd -P)
failed=0 count=0

complain() { # FILE INCLUDED REASON
    echo "$1 includes $2: $3" >&2
    failed=1
}

rank() { # FOLDER: its place in the order, nothing if unknown
    place=0
    for folder in $order; do
        [ "$folder" = "$1" ] && echo $place
        place=$((place + 1))
    done
}

# The folder that FILE's quoted include INCLUDED lies in, relative to the project; nothing if there is no such file.
folder_of() {
    target=$(dirname "$1")/$2
    [ -f "$target" ] && (cd "$(dirname "$target")" && pwd -P) | sed "s|^$root/||"
}

check_source() { # FILE INCLUDED, for "..." in src
    own=$(echo "$1" | cut -d/ -f2)
    folder=$(folder_of "$1" "$2")
    case $folder in
    src/*) ;;
    *) complain "$1" "$2" "not a private header by a relative path"; return ;;
    esac
    from=$(rank "$own") to=$(rank "${folder#src/}")
    if [ -z "$from" ] || [ -z "$to" ]; then
        complain "$1" "$2" "a folder that is not in the order ($order)"
    elif [ "$to" -gt "$from" ]; then
        complain "$1" "$2" "${folder#src/} comes after $own"
    fi
}

check_user() { # FILE INCLUDED, for "..." outside src
    case $(folder_of "$1" "$2")/ in
    "${1%%/*}"/*) ;;
    *) complain "$1" "$2" "not a file of its own folder tree" ;;
    esac
}

files() { # FOLDER ...: the C files in the folders that exist
    for folder in "$@"; do
        [ -d "$folder" ] && find "$folder" -name node_modules -prune -o -name '*.[ch]' -print
    done
}

# FILE:KIND:INCLUDED lines, KIND q for "..." and a for <...>.
includes() {
    files "$@" | sort | while read -r file; do
        sed -n -e 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/q:\1/p' \
            -e 's/^[ \t]*#[ \t]*include[ \t]*<\([^>]*\)>.*/a:\1/p' "$file" | sed "s|^|$file:|"
    done
}

# shellcheck disable=SC2086
list=$(includes src $users)
while IFS=: read -r file kind included; do
    count=$((count + 1))
    case $file:$kind:$included in
    src/text/*:a:apart/io.h | src/*_files/*:a:apart/io.h | src/*_files/*:a:apart/mesh_body.h | src/*_files/*:a:apart/robot_io.h) ;;
    src/*:a:apart/io.h | src/*:a:apart/mesh_body.h | src/*:a:apart/robot_io.h) complain "$file" "$included" "a query knows no files" ;;
    src/*:q:*) check_source "$file" "$included" ;;
    *:q:*) check_user "$file" "$included" ;;
    *:a:apart/*) [ -f "include/$included" ] || complain "$file" "$included" "no such public header" ;;
    esac
done <<END
$list
END

if [ "$count" -lt 10 ]; then
    echo "only $count includes found under $1" >&2
    exit 1
fi
exit $failed
