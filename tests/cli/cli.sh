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
    for command in run render surface plot compare sample validate bench methods materials help; do
        says out "  $command" 2>/dev/null
        expect 0 "$phyxel" $command --help
        says out "usage: phyxel $command"
        says out "example:"
        expect 0 "$phyxel" help $command
        expect 0 "$phyxel" help
    done
    expect 0 "$phyxel" --version
    says out "phyxel 0."
    for topic in world materials bodies colliders drivers probes efg run camera shapes exit-codes; do
        expect 0 "$phyxel" help $topic
    done
}
test_examples_run() {
    cd "$source" || exit 2
    for command in compare sample validate bench methods materials help; do
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
    while [ ! -s "$work/r/frames/frame_00002.vtp" ] && kill -0 $pid 2>/dev/null; do
        sleep 0.05
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
# wait_for PROCESS FILE: until the file is there, or the process is not
wait_for() {
    while [ ! -s "$2" ] && kill -0 "$1" 2>/dev/null; do
        sleep 0.02
    done
}
test_a_closed_terminal_or_pipe_stops_with_a_checkpoint() {
    "$phyxel" run "$long" --out "$work/h" >"$work/out" 2>"$work/err" &
    pid=$!
    wait_for $pid "$work/h/frames/frame_00001.vtp"
    kill -HUP $pid
    wait $pid
    [ $? = 130 ] || fail "SIGHUP did not give 130"
    [ -s "$work/h/checkpoint.phx" ] || fail "no checkpoint after SIGHUP"
    says err "--resume"
    { "$phyxel" run "$long" --out "$work/p" 2>&1; echo $? >"$work/code"; } | true
    [ "$(cat "$work/code")" = 130 ] || fail "a closed pipe gave $(cat "$work/code"), expected 130"
    [ -s "$work/p/checkpoint.phx" ] || fail "no checkpoint after a closed pipe"
}
test_a_forgotten_resume_loses_nothing() {
    expect 0 "$phyxel" run "$small" --out "$work/r"
    cp "$work/r/checkpoint.phx" "$work/kept.phx"
    expect 0 "$phyxel" run "$small" --out "$work/r" --quiet
    says err "an earlier run was in '$work/r': it is now in '$work/r/earlier-1'"
    cmp "$work/r/earlier-1/checkpoint.phx" "$work/kept.phx" >&2 || fail "the checkpoint is not the old one"
    expect 3 "$phyxel" run "$small" --out "$work/r" --resume --set bodies.cube.velocity='[0, 0, 2]' --set run.fps=25
    says err "bodies.cube.velocity: checkpoint 0 0 0, now 0 0 2"
    expect 3 "$phyxel" run "$small" --out "$work/r" --resume --set run.fps=25
    says err "run.fps: checkpoint 50, now 25"
    expect 0 "$phyxel" run "$small" --out "$work/r" --resume --set run.duration=0.12 --set run.formats='[ply]' --threads 1
}
test_what_is_large_is_asked_about() {
    cat >"$work/cube.obj" <<'END'
v 0 0 0
v 100 0 0
v 100 100 0
v 0 100 0
v 0 0 100
v 100 0 100
v 100 100 100
v 0 100 100
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
END
    cat >"$work/millimetres.yaml" <<'END'
bodies: {cube: {mesh: cube.obj, spacing: 0.01, material: rubber}}
run: {duration: 0.001}
END
    expect 3 "$phyxel" run "$work/millimetres.yaml" --out "$work/r" --quiet
    says err "about 1e+12 particles"
    says err "no body can have 5e7 cells"
    says err "body 'cube', 100 m large"
    says err "if its mesh is in millimetres, scale: 0.001 makes it 0.1 m large"
    [ ! -e "$work/r" ] || fail "a folder was made"
    expect 3 "$phyxel" run "$work/millimetres.yaml" --out "$work/r" --yes
    says err "expected at most 50 million"
    expect 3 "$phyxel" run "$work/millimetres.yaml" --out "$work/r" --set bodies.cube.spacing=0.5
    says err "; --yes runs it"
    expect 0 "$phyxel" run "$work/millimetres.yaml" --out "$work/r" --set bodies.cube.scale=0.001
    says err "about 1000 particles, "
}
test_a_folder_that_is_deleted_is_noticed() {
    "$phyxel" run "$long" --out "$work/r" --set run.formats='[]' >"$work/out" 2>"$work/err" &
    pid=$!
    wait_for $pid "$work/r/probes/all.csv"
    mv "$work/r" "$work/elsewhere"
    wait $pid
    [ $? = 3 ] || fail "a folder that was moved did not give 3"
    says err "was moved or deleted during the run; the state at t = "
    says err "$work/elsewhere/checkpoint.phx"
    [ -s "$work/elsewhere/checkpoint.phx" ] || fail "no checkpoint where the folder is now"
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
    for sampling in uniform bcc octree vertices; do
        expect 0 "$phyxel" sample "$source/scenes/models/hare.obj" --spacing 0.02 --sampling $sampling
        says out "particles"
    done
    says out "8560 triangles, closed"
    says out "box        -0.14795 to 0.15442, "
    says out "size       0.30237 x 0.15324 x "
    expect 0 "$phyxel" sample "$source/scenes/models/hare.obj" --spacing 20 --scale 1000 --up y
    says out "in millimetres, --scale 0.001"
    expect 2 "$phyxel" sample "$source/scenes/models/hare.obj" --spacing 0.02 --up w
    says err "expected auto, x, y or z"
}
test_validate_json_and_list() {
    expect 0 "$phyxel" validate --list
    says out "efg.patch"
    expect 0 "$phyxel" validate efg.patch --json
    is_json
}
test_bench_json() {
    expect 0 "$phyxel" bench efg.paths --seconds 0.02 --max-particles 5000 --json
    is_json
    expect 3 "$phyxel" bench nothing
}
test_full_disk_is_told() {
    [ -e /dev/full ] || exit 77
    "$phyxel" help >/dev/full 2>"$work/err"
    [ $? = 3 ] || fail "a full disk passed for success"
}
# a run of a few frames to draw, in $work/r
a_run() {
    expect 0 "$phyxel" run "$small" --out "$work/r" --quiet --set "run.fields=[velocity, speed, von_mises]" "$@"
}
tiny="--size 64x48 --samples 1 --occlusion 0 --quiet"
is_png() { # is_png FILE WIDTH HEIGHT
    python3 - "$@" <<'END' || fail "$1 is no picture of $2 x $3"
import struct, sys
head = open(sys.argv[1], "rb").read(24)
assert head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:]) == (int(sys.argv[2]), int(sys.argv[3]))
END
}
# without PROGRAM: a PATH that has what tests need, but not this program
without() {
    mkdir -p "$work/bin"
    for tool in sh rm cp mkdir; do
        ln -sf "$(command -v $tool)" "$work/bin/$tool"
    done
    expect "$2" env PATH="$work/bin" "$phyxel" $3
    says err "$1 is not installed"
}
test_examples_of_pictures_run() {
    command -v gnuplot >/dev/null || exit 77
    mkdir "$work/here" && ln -s "$source/scenes" "$work/here/scenes"
    cd "$work/here" || exit 2
    for command in run render surface plot; do
        example=$("$phyxel" $command --help | sed -n '/^example:/{n;s/^ *phyxel //;p;}')
        [ -n "$example" ] || fail "no example of $command"
        smaller="" # what the example shows, in pictures that are quick to make
        [ $command != render ] || smaller=$tiny
        expect 0 "$phyxel" $example $smaller
    done
    is_png out/bounce/pictures/sheet.png 366 100
    [ -s out/bounce/ball.svg ] || fail "no plot"
    [ -s out/bounce/surface/frame_00060.obj ] || fail "no surface"
}
test_render_pictures_and_sheets() {
    a_run
    expect 0 "$phyxel" render "$work/r" $tiny
    for i in 0 1 2 3 4 5; do
        is_png "$work/r/pictures/frame_0000$i.png" 64 48
    done
    expect 0 "$phyxel" render "$work/r/frames.pvd" $tiny --out "$work/p" --sheet 3x1 --field von_mises --map coolwarm
    is_png "$work/p/sheet.png" 298 48
    [ "$(ls "$work/p")" = sheet.png ] || fail "more than the sheet: $(ls "$work/p")"
    expect 0 "$phyxel" render "$work/r/frames/frame_00003.vtp" $tiny --out "$work/q" --view 1,0,0 --floor none --title "one frame"
    expect 0 "$phyxel" render "$work/r" $tiny --out "$work/s" --every 2 --from 0.03 --to 0.09 --range 0:1e3 --field speed --plain
    [ "$(ls "$work/s" | wc -l)" = 2 ] || fail "not frames 2 and 4: $(ls "$work/s")"
    expect 0 "$phyxel" render "$work/r" $tiny --out "$work/at" --times 0.02,0.065 --surface --quality still --stage sky
    [ "$(echo $(ls "$work/at"))" = "frame_00001.png frame_00003.png" ] || fail "not frames 1 and 3: $(ls "$work/at")"
    expect 0 "$phyxel" render "$work/r" "$work/r" $tiny --frame 2 --out "$work/t" --engine z-buffer
    is_png "$work/t/frame_00002.png" 132 48
    expect 0 "$phyxel" render "$work/r" $tiny --frame 2 --out "$work/u" --surface --camera "0.3,-0.5,0.2 0,0,0.05"
    expect 0 "$phyxel" render "$work/r" $tiny --frame 2 --out "$work/u2" --points
    expect 0 "$phyxel" render "$work/r" $tiny --frame 2 --out "$work/one.png" # a file, not a folder of that name
    [ -f "$work/one.png" ] || fail "no picture one.png"
    expect 0 "$phyxel" render "$work/r" $tiny --sheet 2x1 --out "$work/two.webp"
    [ -f "$work/two.webp" ] || fail "no sheet two.webp"
    cmp -s "$work/u/frame_00002.png" "$work/u2/frame_00002.png" && fail "a surface looks like its particles"
    expect 0 "$phyxel" render "$work/r" $tiny --frame 2 --out "$work/v" --threads 1
    expect 0 "$phyxel" render "$work/r" $tiny --frame 2 --out "$work/w" --threads 3
    cmp "$work/v/frame_00002.png" "$work/w/frame_00002.png" >&2 || fail "pictures depend on the threads"
}
test_render_mistakes() {
    a_run
    expect 2 "$phyxel" render
    expect 3 "$phyxel" render "$work/none"
    says err "none"
    expect 2 "$phyxel" render "$work/r" --size 64
    expect 2 "$phyxel" render "$work/r" --out "$work/many.png"
    says err "choose one"
    expect 2 "$phyxel" render "$work/r" --out "$work/many.png" --film "$work/f.webp"
    expect 2 "$phyxel" render "$work/r" --range 5:1
    expect 2 "$phyxel" render "$work/r" --sheet 3
    expect 2 "$phyxel" render "$work/r" --film a.avi
    says err ".mp4, .webm or .gif"
    expect 3 "$phyxel" render "$work/r" --frame 99
    says err "0 to 5"
    expect 2 "$phyxel" render "$work/r" --surface --skin
    expect 2 "$phyxel" render "$work/r" --camera 1,2
    expect 2 "$phyxel" render "$work/r" --floor deep
    expect 2 "$phyxel" render "$work/r" --engine magic
    expect 2 "$phyxel" render "$work/r" --every 0
    expect 2 "$phyxel" render "$work/r" --times 0,later
    says err "later"
    expect 2 "$phyxel" render "$work/r" --quality best
    expect 3 "$phyxel" render "$work/r" $tiny --stage moon
    expect 3 "$phyxel" render "$work/r" $tiny --field tempreature
    says err "the frame has:"
    expect 3 "$phyxel" render "$work/r" $tiny --field speed --map rainbow
    : >"$work/file"
    expect 3 "$phyxel" render "$work/r" $tiny --out "$work/file/below"
    expect 3 "$phyxel" render "$work/file" $tiny
}
test_render_leaves_out_damaged_frames() {
    a_run
    rm "$work/r/frames/frame_00001.vtp"
    head -c 1000 "$work/r/frames/frame_00002.vtp" >"$work/cut" && mv "$work/cut" "$work/r/frames/frame_00002.vtp"
    printf 'garbage' >"$work/r/frames/frame_00004.vtp"
    expect 6 "$phyxel" render "$work/r" $tiny
    says err "frame_00001.vtp"
    says err "frame_00002.vtp"
    says err "frame_00004.vtp"
    [ "$(ls "$work/r/pictures" | wc -l)" = 3 ] || fail "not three pictures: $(ls "$work/r/pictures")"
    expect 6 "$phyxel" render "$work/r" "$work/r" $tiny --out "$work/two"
    expect 6 "$phyxel" surface "$work/r" --quiet
    [ "$(ls "$work/r/surface" | wc -l)" = 3 ] || fail "not three surfaces"
    printf '<VTKFile type="Collection"' >"$work/r/frames.pvd"
    expect 3 "$phyxel" render "$work/r" $tiny
    says err "frames.pvd:1:"
}
test_render_films() {
    without ffmpeg 0 "render $(a_run && echo "$work/r") $tiny --film $work/no.mp4"
    [ ! -e "$work/no.mp4" ] || fail "a film of ffmpeg without it"
    [ "$(head -c 4 "$work/no.webp")" = RIFF ] || fail "no film in its place"
    expect 0 "$phyxel" render "$work/r" $tiny --film "$work/own.webp"
    cmp -s "$work/own.webp" "$work/no.webp" || fail "the same film is not the same file"
    command -v ffmpeg >/dev/null || { echo "skipped: no ffmpeg" >&2; return; }
    for film in a.mp4 a.webm a.gif; do
        expect 0 "$phyxel" render "$work/r" --size 65x49 --samples 1 --occlusion 0 --film "$work/$film" --fps 10
        says out "film of 6 pictures"
        frames=$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$work/$film" | tr -d ',\n')
        [ "$frames" = 6 ] || fail "$film has '$frames' pictures"
    done
    printf 'old' >"$work/old.mp4"
    cp "$work/old.mp4" "$work/same.mp4"
    rm -f "$work/bin/"*
    printf '#!/bin/sh\nexit 1\n' >"$work/bin/ffmpeg"
    chmod +x "$work/bin/ffmpeg"
    expect 3 env PATH="$work/bin:$PATH" "$phyxel" render "$work/r" $tiny --film "$work/old.mp4"
    cmp -s "$work/old.mp4" "$work/same.mp4" || fail "a failed film replaced the old one"
    expect 3 "$phyxel" render "$work/r" $tiny --film "$work/no/folder/a.mp4"
}
test_render_by_povray() {
    a_run
    without povray 6 "render $work/r $tiny --pov --frame 1"
    [ -s "$work/r/pictures/frame_00001.pov" ] || fail "no scene"
    expect 2 "$phyxel" render "$work/r" --pov --sheet 2x2
    command -v povray >/dev/null || { echo "skipped: no povray" >&2; return; }
    expect 0 "$phyxel" render "$work/r" $tiny --pov --frame 1 --surface --field speed
    is_png "$work/r/pictures/frame_00001.png" 64 48
}
test_render_by_cycles() {
    a_run
    without blender 6 "render $work/r $tiny --engine cycles --frame 1"
    [ ! -e "$work/r/pictures/frame_00001.png" ] || fail "a picture without Blender"
    expect 2 "$phyxel" render "$work/r" --engine cycles --pov
    printf '#!/bin/sh\nexit 1\n' >"$work/bin/blender"
    chmod +x "$work/bin/blender"
    expect 3 env PATH="$work/bin:$PATH" "$phyxel" render "$work/r" $tiny --engine cycles --frame 1
    says err "the program that draws made no picture"
    [ -s "$work/r/pictures/cycles/scene.json" ] || fail "no scene"
    cmp -s "$work/r/pictures/cycles/blender_render.py" "$source/extras/blender_render.py" || fail "another script"
    { command -v blender || python3 -c "import bpy"; } >/dev/null 2>&1 ||
        { echo "skipped: neither blender nor a python3 with bpy" >&2; return; }
    expect 0 "$phyxel" render "$work/r" --size 64x48 --engine cycles --quality draft --frame 1 --points --field speed
    is_png "$work/r/pictures/frame_00001.png" 64 48
    python3 -c "import bpy" 2>/dev/null || return
    expect 0 python3 - "$work/r/pictures/frame_00001.png" <<'END'
import sys, bpy, numpy
picture = bpy.data.images.load(sys.argv[1])
pixels = numpy.array(picture.pixels[:]).reshape(-1, 4)[:, :3]
assert (pixels.max(1) - pixels.min(1)).max() > 0.2, "no colours of the field"
END
}
test_skin_and_camera() {
    cat >>"$small" <<'END'
camera: {eye: [0.4, -0.5, 0.3], target: [0, 0, 0.05], field_of_view: 30}
END
    a_run --set run.skin=true
    [ -s "$work/r/bodies/cube.obj" ] || fail "no mesh of the body"
    grep -q '^0,cube,1,bodies/cube.obj,skin,efg,soft,' "$work/r/bodies.csv" || fail "bodies.csv: $(cat "$work/r/bodies.csv")"
    grep -q '^eye 0.4 -0.5 0.3$' "$work/r/camera.txt" || fail "camera.txt: $(cat "$work/r/camera.txt")"
    expect 0 "$phyxel" render "$work/r" $tiny --skin --frame 2
    expect 0 "$phyxel" render "$work/r" $tiny --skin --frame 2 --out "$work/other" --view 0,-1,0
    cmp -s "$work/r/pictures/frame_00002.png" "$work/other/frame_00002.png" && fail "the scene's camera is not used"
    expect 0 "$phyxel" surface "$work/r" --skin --format obj --frame 5
    [ -s "$work/r/surface/frame_00005.obj" ] || fail "no skin"
    sed 's/eye: .0.4, -0.5, 0.3./eye: [0, 0, 0.05]/' "$small" >"$work/bad.yaml"
    expect 3 "$phyxel" run "$work/bad.yaml" --out "$work/b"
    says err "eye and target"
    a_run --set run.duration=0.02
    a_run --set run.duration=0.02 --set bodies.cube.draw=liquid
    grep -q '^0,cube,1,,liquid,' "$work/r/bodies.csv" || fail "bodies.csv of the run before"
}
test_bodies_are_hidden() {
    a_run
    expect 0 "$phyxel" surface "$work/r" --points --format ply --frame 0
    grep -aq '^element vertex 0$' "$work/r/surface/frame_00000.ply" && fail "nothing is shown"
    expect 0 "$phyxel" surface "$work/r" --points --format ply --frame 0 --hide cube
    grep -aq '^element vertex 0$' "$work/r/surface/frame_00000.ply" || fail "the body is not hidden"
    expect 3 "$phyxel" render "$work/r" $tiny --frame 0 --hide cub
    says err "no body 'cub' to hide; its bodies are: cube"
    a_run --set bodies.cube.shown=false
    grep -q '^0,cube,0,bodies/cube.obj,skin' "$work/r/bodies.csv" || fail "bodies.csv: $(cat "$work/r/bodies.csv")"
    expect 0 "$phyxel" surface "$work/r" --points --format ply --frame 0
    grep -aq '^element vertex 0$' "$work/r/surface/frame_00000.ply" || fail "the scene's shown is not used"
    expect 0 "$phyxel" surface "$work/r" --points --format ply --frame 0 --all
    grep -aq '^element vertex 0$' "$work/r/surface/frame_00000.ply" && fail "--all does not show all"
}
test_run_renders() {
    expect 0 "$phyxel" run "$small" --out "$work/r" --quiet --sheet 1x1 --set run.skin=true --field speed --quality draft
    is_png "$work/r/pictures/sheet.png" 480 270
    expect 0 "$phyxel" run "$small" --out "$work/q" --json --render --set run.duration=0.01 --size 96x54
    is_json
    is_png "$work/q/pictures/frame_00000.png" 96 54
}
test_surface_formats() {
    a_run
    expect 0 "$phyxel" surface "$work/r" --every 5 --format ply --format obj --format vtp --format pov --format glb --usd "$work/s.usda"
    says out "2 frames"
    for ending in ply obj vtp pov glb; do
        [ -s "$work/r/surface/frame_00005.$ending" ] || fail "no .$ending"
    done
    grep -q 'def Mesh "cube"' "$work/s.usda" || fail "no mesh in the USD file"
    expect 0 "$phyxel" sample "$work/r/surface/frame_00005.obj" --spacing 0.02
    says out "triangles, closed"
    expect 0 "$phyxel" surface "$work/r" --splats --frame 2 --format vtp --out "$work/discs"
    grep -aq 'Name="radius"' "$work/discs/frame_00002.vtp" || fail "discs without radius"
    expect 2 "$phyxel" surface "$work/r" --splats --skin
    expect 0 "$phyxel" run "$small" --out "$work/both" --surface --set run.fps=20
    [ -s "$work/both/surface/frame_00002.ply" ] || fail "run --surface left none"
    expect 0 "$phyxel" render "$work/r/surface" $tiny --field von_mises
    expect 0 "$phyxel" surface "$work/r" --points --usd "$work/p.usda" --out "$work/none"
    grep -q 'def Points "particles"' "$work/p.usda" || fail "no points in the USD file"
    [ ! -e "$work/none" ] || fail "a folder that was not needed"
    expect 0 "$phyxel" surface "$work/r" --frame 1 --out "$work/a" --density --anisotropic --smoothing 2 --cell 0.4 --radius 2.5 --iso 0.4
    expect 2 "$phyxel" surface "$work/r" --format stl
    expect 2 "$phyxel" surface
    expect 3 "$phyxel" surface "$work/r" --usd "$work/a.usd"
    expect 3 "$phyxel" surface "$work/r" --usd "$work/no/folder/a.usda"
    expect 3 "$phyxel" surface "$work/r" --density --radius -1
    expect 0 "$phyxel" surface "$work/r" --gltf "$work/s.glb"
    says out "animated glTF: $work/s.glb"
    [ "$(head -c 4 "$work/s.glb")" = glTF ] || fail "no animated glTF"
    expect 2 "$phyxel" surface "$work/r" --gltf "$work/s.glb" --points
}
test_plots() {
    a_run
    without gnuplot 6 "plot $work/r/probes/all.csv"
    expect 3 "$phyxel" plot "$work/none.csv"
    expect 3 "$phyxel" plot "$small"
    says err "no probe file"
    expect 2 "$phyxel" plot "$work/r/probes/all.csv" --columns kinetik
    says err "did you mean 'kinetic'"
    expect 2 "$phyxel" plot "$work/r/probes/all.csv" --out "$work/a.pdf"
    command -v gnuplot >/dev/null || { echo "skipped: no gnuplot" >&2; return; }
    expect 0 "$phyxel" plot "$work/r/probes/all.csv"
    is_png "$work/r/probes/all.png" 900 540
    expect 0 "$phyxel" plot "$work/r/probes/all.csv" --columns "z,max_speed[m/s]" --out "$work/a.svg" --title 'a "title"'
    grep -q 'max_speed' "$work/a.svg" || fail "no curve"
    head -n 1 "$work/r/probes/all.csv" >"$work/empty.csv"
    expect 3 "$phyxel" plot "$work/empty.csv"
}
test_validation_report() {
    expect 0 "$phyxel" validate kernels materials.table --report "$work/report"
    python3 - "$work/report/index.html" <<'END' || fail "the report"
import html.parser, sys
text = open(sys.argv[1]).read()
class Check(html.parser.HTMLParser):
    stack, rows, plots = [], 0, 0
    def handle_starttag(self, tag, attributes):
        self.rows += tag == "tr"
        self.plots += tag == "svg"
        if tag not in ("meta",):
            self.stack.append(tag)
    def handle_startendtag(self, tag, attributes):
        pass
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag
check = Check()
check.feed(text)
assert not check.stack and check.plots == 2 and check.rows > 5 and "within their bounds" in text
assert "http" not in text
END
    : >"$work/file"
    expect 3 "$phyxel" validate kernels --report "$work/file/below"
}
test_blender_reads_runs() {
    a_run --set "run.formats=[vtp, ply]"
    expect 0 "$phyxel" surface "$work/r" --quiet --every 5
    script="$source/extras/blender_import.py"
    expect 0 python3 "$script" --list "$work/r"
    says out "frame_00005.vtp: t = 0.1 s, "
    says out "velocity[3]"
    expect 0 python3 "$script" --list "$work/r/surface"
    says out "normal[3]"
    if command -v blender >/dev/null; then
        run_blender() { blender --background --python-exit-code 1 --python "$script" -- "$@"; }
    elif "${PHX_BPY_PYTHON:-python3}" -c 'import bpy' 2>/dev/null; then
        run_blender() { "${PHX_BPY_PYTHON:-python3}" "$script" "$@"; }
    else
        echo "skipped: no blender" >&2
        [ $failures = 0 ] && exit 77
        exit 1
    fi
    expect 0 run_blender "$work/r" --save "$work/points.blend"
    says out "6 frames"
    expect 0 run_blender "$work/r/surface" --save "$work/surface.blend"
    says out "2 frames"
    [ -s "$work/points.blend" ] && [ -s "$work/surface.blend" ] || fail "nothing was saved"
    expect 0 "$phyxel" surface "$work/r" --quiet --usd "$work/r/bodies.usda"
    expect 0 run_blender "$work/r/bodies.usda" --save "$work/bodies.blend"
    says out "cube: mesh, material cube, attributes "
    says out " velocity"
}
test_readme_shows_the_scene_as_it_is() {
    sed -n '/^```yaml$/,/^```$/p' "$source/README.md" | sed '1d;$d' >"$work/shown.yaml"
    diff "$work/shown.yaml" "$source/scenes/bounce-ball.yaml" >&2 || fail "README.md shows another scene"
}
test_file_size_limit_is_told() {
    (ulimit -f 1 && exec "$phyxel" run "$small" --out "$work/r" --quiet --set bodies.cube.draw=points) >"$work/out" 2>"$work/err"
    [ $? = 3 ] || fail "a file size limit: exit code $?, expected 3"
    says err "frame_00000.vtp"
    says err "File too large"
}
test_folders_of_any_name() {
    mkdir -p "$work/here/ünder the sea" && cp "$small" "$work/here/ünder the sea/a scene.v2.yaml" || exit 2
    cd "$work/here" || exit 2
    expect 0 "$phyxel" run "ünder the sea/a scene.v2.yaml" --out 'out ♥ "here"/x y' --quiet
    [ -s 'out ♥ "here"/x y/frames/frame_00005.vtp' ] || fail "no frames in a folder with blanks"
    expect 0 "$phyxel" run "ünder the sea/a scene.v2.yaml" --json
    is_json
    [ -s "out/a scene.v2/frames.pvd" ] || fail "not in out/<scene>: $(ls out)"
    expect 3 "$phyxel" run "$small" --out "$work/$(printf '%05000d' 0)"
    expect 3 "$phyxel" run "$small" --out ""
}
test_folder_that_cannot_be_written() {
    [ "$(id -u)" != 0 ] || exit 77
    mkdir -m 555 "$work/locked"
    expect 3 "$phyxel" run "$small" --out "$work/locked" --quiet
    says err "locked"
}
test_two_runs_into_one_folder() {
    "$phyxel" run "$long" --out "$work/r" >/dev/null 2>&1 &
    pid=$!
    while [ ! -s "$work/r/frames/frame_00000.vtp" ] && kill -0 $pid 2>/dev/null; do
        sleep 0.05
    done
    expect 3 "$phyxel" run "$small" --out "$work/r"
    says err "another run is writing there"
    kill -INT $pid
    wait $pid
    [ $? = 130 ] || fail "the first run was disturbed"
    expect 0 "$phyxel" run "$small" --out "$work/r" --quiet
}
test_hostile_values() {
    for set in bodies.cube.spacing=1e-300 bodies.cube.spacing=1e-9 bodies.cube.spacing=nan bodies.cube.spacing=-1 \
        bodies.cube.translate=1e15,0,0 bodies.cube.scale=1e-30 bodies.cube.levels=7 bodies.cube.shape= \
        'bodies.cube.shape=box(size=(1e15,1e15,1e15))' 'bodies.cube.shape=all()' bodies.cube.mesh=/dev/null \
        bodies.cube.mesh=../../etc/passwd run.duration=1e300 run.duration=-1 run.duration=nan run.fps=1e9 run.fps=0 \
        world.threads=100000 world.threads=-1 world.gravity=nan,0,0 world.gravity=inf,0,0 world.gravity=1,2 \
        world.safety=1e-300 world.dt=1e-300 world.dt=inf materials.soft.young=1e300 materials.soft.density=1e-306 \
        materials.soft.poisson=0.5 probes.all.every=1e-300 probes.all.every=-1 probes.all.region=sphere \
        probes.all.body=nobody run.formats=exe run.fields=nothing = a=b .=1 bodies..x=1 bodies.cube=1 title=; do
        expect 3 "$phyxel" run "$small" --out "$work/r" --quiet --set "$set"
    done
    # odd, but possible
    for set in run.duration=1e-300 run.fps=1e-300 probes.all.every=1e15 run.formats=[] materials.soft.young=1e-300; do
        expect 0 "$phyxel" run "$small" --out "$work/r" --quiet --set "$set"
    done
}
test_compare() {
    expect 0 "$phyxel" compare "$source/scenes/compare-bar.yaml" --methods efg,elastoplastic_sph --spacings 1,0.5 \
        --column x --quantity period --exact 20 --set run.duration=45
    says out "elastoplastic_sph"
    says out "longest substep"
    says out "processor time for an error"
    expect 0 "$phyxel" compare "$source/scenes/compare-bar.yaml" --methods efg,fem:integrator=bdf2:implicit_dt=0.2 \
        --column x --set run.duration=1 --set bodies.bar.spacing=1 --quick --json
    is_json
    # a method that cannot do it says why, and the others go on
    expect 0 "$phyxel" compare "$source/scenes/compare-bar.yaml" --methods fem,efg --column x --quick \
        --set run.duration=1 --set bodies.bar.spacing=1 --set bodies.bar.jitter=0.2
    says out "without jitter"
}
test_compare_plots() {
    set -- compare "$source/scenes/compare-bar.yaml" --methods efg --column x --quick --set run.duration=1 \
        --set bodies.bar.spacing=1 --plot
    if command -v gnuplot >/dev/null; then
        expect 0 "$phyxel" "$@" "$work/bar.svg"
        [ -s "$work/bar.svg" ] || fail "no plot"
    fi
    expect 6 env PATH=/nowhere "$phyxel" "$@" "$work/none.svg"
    says err "gnuplot is not installed"
    expect 2 "$phyxel" "$@" "$work/bar.txt"
}
test_compare_bad_input() {
    bar="$source/scenes/compare-bar.yaml"
    expect 2 "$phyxel" compare
    expect 2 "$phyxel" compare "$bar"
    says err "which methods"
    expect 2 "$phyxel" compare "$bar" --methods efg --quantity periods
    says err "did you mean 'period'"
    expect 2 "$phyxel" compare "$bar" --methods efg --spacings 0.1,0.2
    says err "from coarse to fine"
    expect 2 "$phyxel" compare "$bar" --methods efg --spacings 0.1,x
    expect 3 "$phyxel" compare "$bar" --methods efgg
    says err "did you mean 'efg'"
    expect 3 "$phyxel" compare "$bar" --methods efg --column q
    says err "expected one of time"
    expect 3 "$phyxel" compare "$bar" --methods efg --probe tip
    says err "expected for example 'bar'"
    expect 3 "$phyxel" compare "$work/nothing.yaml" --methods efg
    expect 3 "$phyxel" compare "$bar" --methods efg --set materials.soft.young=-1
    says err "materials.soft.young"
}
test_reference_is_up_to_date() {
    expect 0 "$phyxel" help --markdown "$work/reference"
    diff -r "$work/reference" "$source/docs/reference" >&2 || fail "run: phyxel help --markdown docs/reference"
    expect 0 "$phyxel" methods --matrix
    diff "$work/out" "$source/docs/guide/what-goes-together.md" >&2 ||
        fail "run: phyxel methods --matrix >docs/guide/what-goes-together.md"
}

test_"$case"
[ $failures = 0 ]
