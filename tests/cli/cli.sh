#!/bin/sh
# SPDX-License-Identifier: MIT
# cli.sh CASE PROGRAM SOURCE: one case of the program's tests, in a folder of its own that is removed at the end.
set -u
case=$1 phyxel=$2 source=$3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf 'failed: %s\n' "$*" >&2
    failures=$((failures + 1))
}
# expect CODE command...: runs it, keeps stdout in $work/out and stderr in $work/err
expect() {
    wanted=$1
    shift
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got = "$wanted" ] || { fail "exit code $got, expected $wanted: $*"; cat "$work/out" "$work/err" >&2; }
}
says() { # says FILE TEXT
    grep -qF -- "$2" "$work/$1" || { fail "'$2' is not in std$1:"; cat "$work/$1" >&2; }
}
is_json() {
    python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$work/out" || { fail "not JSON"; cat "$work/out" >&2; }
}
small="$work/small.yaml"
cat >"$small" <<'END'
title: small
materials:
  soft: {preset: jelly}
bodies:
  cube: {shape: "box(center=(0,0,0.06), size=(0.1,0.1,0.1))", spacing: 0.02, material: soft}
colliders:
  floor: {shape: plane()}
probes:
  all: {every: 0.01}
run: {duration: 0.1, fps: 50}
END
long="$work/long.yaml"
sed 's/duration: 0.1, fps: 50/duration: 100000, fps: 50/' "$small" >"$long"

test_help_of_everything() {
    expect 0 "$phyxel" help
    expect 2 "$phyxel"
    for command in run sample validate bench methods materials help; do
        says out "  $command" 2>/dev/null
        expect 0 "$phyxel" $command --help
        says out "usage: phyxel $command"
        says out "example:"
        expect 0 "$phyxel" help $command
        expect 0 "$phyxel" help
    done
    expect 0 "$phyxel" --version
    says out "phyxel 0."
    for topic in world materials bodies colliders drivers probes efg run shapes exit-codes; do
        expect 0 "$phyxel" help $topic
    done
}
test_examples_run() {
    cd "$source" || exit 2
    for command in sample validate bench methods materials help; do
        example=$("$phyxel" $command --help | sed -n '/^example:/{n;s/^ *phyxel //;p;}')
        [ -n "$example" ] || fail "no example of $command"
        expect 0 "$phyxel" $example
    done
}
test_mistakes_on_the_command_line() {
    expect 2 "$phyxel" rum
    says err "did you mean 'run'"
    expect 2 "$phyxel" run
    expect 2 "$phyxel" run a.yaml b.yaml
    expect 2 "$phyxel" run "$small" --thread 2
    says err "did you mean '--threads'"
    expect 2 "$phyxel" run "$small" --threads two
    says err "whole number"
    expect 2 "$phyxel" run "$small" --threads
    expect 2 "$phyxel" run "$small" --quiet=yes
    expect 2 "$phyxel" validate efg.pach
    says err "did you mean 'efg.patch'"
    expect 2 "$phyxel" methods efq
    expect 3 "$phyxel" materials rubbber
    says err "rubber"
    expect 2 "$phyxel" sample "sphere(radius=0.1)"
    says err "--spacing"
    expect 2 "$phyxel" help nothing-of-that-name
}
test_mistakes_in_files() {
    expect 3 "$phyxel" run "$work/none.yaml"
    says err "none.yaml"
    sed 's/spacing: 0.02/spacng: 0.02/' "$small" >"$work/bad.yaml"
    expect 3 "$phyxel" run "$work/bad.yaml" --out "$work/r"
    says err "bad.yaml:5:"
    says err "spacing"
    expect 3 "$phyxel" run "$small" --set materials.soft.yung=1 --out "$work/r"
    says err "did you mean 'young'"
    expect 3 "$phyxel" run "$small" --method efq --out "$work/r"
    says err "did you mean 'efg'"
    expect 3 "$phyxel" sample "$work/none.obj" --spacing 0.1
    expect 3 "$phyxel" run "$small" --resume --out "$work/nothing-there"
    : >"$work/file"
    expect 3 "$phyxel" run "$small" --out "$work/file/below"
    [ ! -e "$work/r/frames.pvd" ] || fail "a refused scene wrote frames"
}
test_run_leaves_its_files() {
    expect 0 "$phyxel" run "$small" --out "$work/r"
    says out "steps"
    says out "limited by"
    says out "energy"
    for file in frames.pvd frames/frame_00000.vtp frames/frame_00005.vtp probes/all.csv checkpoint.phx; do
        [ -s "$work/r/$file" ] || fail "$file is missing"
    done
    [ "$(ls "$work/r/frames" | wc -l)" = 6 ] || fail "not six frames: $(ls "$work/r/frames")"
    expect 0 "$phyxel" run "$small" --out "$work/q" --quiet
    [ ! -s "$work/out" ] || fail "--quiet is not quiet"
    expect 0 "$phyxel" run "$small" --out "$work/j" --json
    is_json
    cmp -s "$work/r/probes/all.csv" "$work/j/probes/all.csv" || fail "the same run twice differs"
}
test_set_changes_the_scene() {
    expect 0 "$phyxel" run "$small" --out "$work/r" --set run.duration=0.04 --set materials.soft.young=2e4 --set bodies.cube.efg.hourglass=0.2 --json
    python3 -c 'import json,sys; assert abs(json.load(open(sys.argv[1]))["simulated"] - 0.04) < 1e-12' "$work/out" || fail "duration"
}
test_interrupt_and_resume() {
    "$phyxel" run "$long" --out "$work/r" >"$work/out" 2>"$work/err" &
    pid=$!
    tries=0
    while [ ! -s "$work/r/frames/frame_00002.vtp" ] && [ $tries -lt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -INT $pid
    wait $pid
    code=$?
    [ $code = 130 ] || { fail "exit code $code, expected 130"; cat "$work/err" >&2; }
    says err "--resume"
    [ -s "$work/r/checkpoint.phx" ] || fail "no checkpoint"
    time=$(tail -n 1 "$work/r/probes/all.csv" | cut -d, -f1)
    end=$(python3 -c 'import sys; print(float(sys.argv[1]) + 0.1)' "$time")
    sed "s/duration: 100000/duration: $end/" "$long" >"$work/rest.yaml"
    expect 0 "$phyxel" run "$work/rest.yaml" --out "$work/r" --resume
    expect 0 "$phyxel" run "$work/rest.yaml" --out "$work/whole"
    cmp "$work/r/probes/all.csv" "$work/whole/probes/all.csv" >&2 || fail "stopped and resumed differs from one run"
}
test_blow_up_is_told() {
    expect 4 "$phyxel" run "$small" --out "$work/r" --set world.dt=0.01 --set world.force_dt=true --set run.duration=5
    says err "particle"
    says err "cube"
    says err "efg"
    expect 3 "$phyxel" run "$small" --out "$work/s" --set world.dt=0.01
    says err "stable"
}
test_sample_reports() {
    expect 0 "$phyxel" sample "sphere(radius=0.1)" --spacing 0.02 --out "$work/points.ply" --json
    is_json
    [ -s "$work/points.ply" ] || fail "no points"
    for sampling in uniform bcc octree; do
        expect 0 "$phyxel" sample "$source/scenes/models/hare.obj" --spacing 0.02 --sampling $sampling
        says out "particles"
    done
}
test_validate_json_and_list() {
    expect 0 "$phyxel" validate --list
    says out "efg.patch"
    expect 0 "$phyxel" validate efg.patch --json
    is_json
}
test_bench_json() {
    expect 0 "$phyxel" bench efg --seconds 0.02 --max-particles 5000 --json
    is_json
    expect 3 "$phyxel" bench nothing
}
test_full_disk_is_told() {
    [ -e /dev/full ] || exit 77
    "$phyxel" help >/dev/full 2>"$work/err"
    [ $? = 3 ] || fail "a full disk passed for success"
}
test_readme_shows_the_scene_as_it_is() {
    sed -n '/^```yaml$/,/^```$/p' "$source/README.md" | sed '1d;$d' >"$work/shown.yaml"
    diff "$work/shown.yaml" "$source/scenes/bounce-ball.yaml" >&2 || fail "README.md shows another scene"
}
test_reference_is_up_to_date() {
    expect 0 "$phyxel" help --markdown "$work/reference"
    diff -r "$work/reference" "$source/docs/reference" >&2 || fail "run: phyxel help --markdown docs/reference"
}

test_"$case"
[ $failures = 0 ]
