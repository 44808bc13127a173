# Completion of apart(1) for bash. tests/cli checks that the options agree with the program's.

# The options of a command.
_apart_options() {
    local mesh="--as --as-a --as-b --hull --hulls --excess --units --scale"
    local pair="--pose-a --pose-b --round-a --round-b $mesh --solver --support"
    local query="--depth --tolerance --max-iterations --no-fallback"
    case $1 in
        distance) echo "$pair $query --cutoff --limit --frame --explain --stats --trace --svg --record --json --help" ;;
        overlap) echo "$pair --json --help" ;;
        toi) echo "--pose-a --pose-b --to-a --to-b --velocity-a --velocity-b --center-a --center-b --screw --until --round-a --round-b $mesh --tolerance --cutoff --max-iterations --limit --frame --stats --svg --record --json --help" ;;
        verify) echo "$pair $query --cutoff --result --json --help" ;;
        cases) echo "--solver --support $query --cache --summary --json --help" ;;
        scene) echo "--below --nearest --limit --steps --depth --max-pairs --threads --stats --record --csv --json --help" ;;
        clearance) echo "--traj --joints --scene --srdf --packages --as --cell --base --points --point-size --voxels --limit --limits --tolerance --allow-limits --state --fix --pairs --nearest --below --waypoints-only --gradients --threads --propose --notes --figure --record --csv --json --help" ;;
        robot) echo "--srdf --packages --as --joints --state --fix --tool --point --notes --json --help" ;;
        plan) echo "--as --cell --base --points --point-size --voxels --limits --to --problems --only --group --limit --time --seed --threads --no-shortcuts --state --fix --follow --profile --path --speed --tool --point --joints --scene --srdf --packages --gain --reach --step --error --notes -o --record --csv --json --help" ;;
        verify-plan) echo "--as --cell --base --points --point-size --voxels --limits --scene --srdf --packages --problems --limit --notes --json --help" ;;
        simulate) echo "--steps --threads --record --figure --print --csv --json --help" ;;
        job) echo "-o --shard --shards --sample --seed --threads --json --help" ;;
        view) echo "-o --open --serve --port --pose-a --pose-b --round-a --round-b $mesh --scene --srdf --cell --base --packages --traj --joints --state --fix --limit --limits --steps --json --help" ;;
        hull) echo "-o --adjacency --units --scale --json --help" ;;
        cover) echo "-o --hulls --excess --surface --units --scale --json --help" ;;
        lab) echo "--quick --seed -o --json --help" ;;
        figure) echo "-o --json --help" ;;
        version) echo "--json --help" ;;
        *) echo "--help" ;;
    esac
}

# The values that an option may have; fails for an option with free values.
_apart_values() {
    case $1 in
        --solver) echo "default johnson voronoi geometric least-squares volumes" ;;
        --support) echo "auto scan climb table" ;;
        --depth) echo "exact bounds none" ;;
        --as | --as-a | --as-b) echo "auto surface solid hull cover" ;;
        --units) echo "m cm mm in ft" ;;
        --frame) echo "world a b" ;;
        --cache) echo "none shared" ;;
        *) return 1 ;;
    esac
}

_apart() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} values
    local commands="distance overlap verify toi cases hull cover scene robot clearance plan verify-plan simulate job view lab figure version help"
    local experiments="list all cold tracked traces boxes constancy footnote penetration static path certificate faces literal solvers stops printed rivals profile starts sequence shapes arithmetic arm errata"
    local figures="list cameron-1 cameron-2 cameron-6a geometric-6 geometric-8 geometric-10 lindemann-5 lindemann-6"
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
    elif [[ $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
    elif values=$(_apart_values "$prev"); then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
    elif [[ $prev == --velocity-[ab] ]]; then
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "linear= angular=" -- "$cur")
    elif [[ $prev == --pose-[ab] || $prev == --to-[ab] ]]; then
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "xyz= xy= rpy= quat_xyzw= quat_wxyz= axis_angle= matrix= angle=" -- "$cur")
    elif [[ $command == simulate && $cur != -* && $prev == simulate ]]; then
        compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -W "cuboids table stack dominoes pile bullet" -f -- "$cur")
    elif [[ $command == lab && $cur != -* && $prev != -o && $prev != --seed ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$experiments" -- "$cur")
    elif [[ $command == figure && $cur != -* && $prev != -o ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$figures" -- "$cur")
    elif [[ $cur == -?* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_apart_options "$command")" -- "$cur")
    else
        compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}

complete -F _apart apart
