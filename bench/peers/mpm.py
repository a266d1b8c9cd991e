#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The material point method beside Taichi: a block of particles, eight a cell, quadratic splines, APIC, MLS forces.

    python3 -m venv peers && peers/bin/pip install taichi
    peers/bin/python bench/peers/mpm.py --phyxel build/release/phyxel [--side 32]

Prints ns per particle and step, CPU time of one process and one thread. Taichi's kernels are those of its example mpm3d
(dense grid, atomic adds) with a neo-Hookean law, as ours has: no singular values. Ours does more in a step: sums in a
fixed order, obstacles, drivers, checks for numbers that are not finite. Compare lines of one run only. Not part of the
tests: needs packages that the build does not.
"""
import argparse
import os
import resource
import subprocess
import tempfile


def report(name, particles, seconds, steps):
    print(f"{name:42s} {particles:8d} particles {1e9 * seconds / (particles * steps):10.0f} ns per particle-step")


def run_taichi(side, steps):
    try:
        import taichi as ti
    except ImportError as error:
        print(f"taichi: not here ({error})")
        return
    ti.init(arch=ti.cpu, cpu_max_num_threads=1, default_fp=ti.f32, log_level=ti.ERROR)
    count, dx = side ** 3, 2.0
    cells = side // 2 + 16
    mu, lam, volume, mass, dt = 3.8e4, 5.8e4, 1.0, 1000.0, 0.01
    x = ti.Vector.field(3, float, count)
    v = ti.Vector.field(3, float, count)
    c = ti.Matrix.field(3, 3, float, count)
    f = ti.Matrix.field(3, 3, float, count)
    grid_v = ti.Vector.field(3, float, (cells,) * 3)
    grid_m = ti.field(float, (cells,) * 3)

    @ti.kernel
    def start():
        for p in range(count):
            q = ti.Vector([p // (side * side), p // side % side, p % side]).cast(float)
            x[p] = q + 0.5 + 16.0
            v[p] = ti.Vector([0.01 * q[1], 0.02 * q[2], 0.03 * q[0]])
            f[p] = ti.Matrix.identity(float, 3)
            c[p] = ti.Matrix.zero(float, 3, 3)

    @ti.kernel
    def substep():
        for node in ti.grouped(grid_m):
            grid_v[node] = ti.Vector.zero(float, 3)
            grid_m[node] = 0.0
        for p in x:
            base = (x[p] / dx - 0.5).cast(int)
            fx = x[p] / dx - base
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            f[p] = (ti.Matrix.identity(float, 3) + dt * c[p]) @ f[p]
            left = f[p] @ f[p].transpose()
            tau = mu * (left - ti.Matrix.identity(float, 3)) + lam * ti.log(f[p].determinant()) * ti.Matrix.identity(float, 3)
            affine = mass * c[p] - dt * volume * 4 / dx ** 2 * tau
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                offset = ti.Vector([i, j, k])
                d = (offset - fx) * dx
                weight = w[i][0] * w[j][1] * w[k][2]
                grid_v[base + offset] += weight * (mass * v[p] + affine @ d)
                grid_m[base + offset] += weight * mass
        for node in ti.grouped(grid_m):
            if grid_m[node] > 0:
                grid_v[node] /= grid_m[node]
                grid_v[node][2] -= dt * 9.81
        for p in x:
            base = (x[p] / dx - 0.5).cast(int)
            fx = x[p] / dx - base
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            new_v = ti.Vector.zero(float, 3)
            new_c = ti.Matrix.zero(float, 3, 3)
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                offset = ti.Vector([i, j, k])
                d = (offset - fx) * dx
                g = grid_v[base + offset]
                weight = w[i][0] * w[j][1] * w[k][2]
                new_v += weight * g
                new_c += 4 / dx ** 2 * weight * g.outer_product(d)
            v[p] = new_v
            x[p] += dt * new_v
            c[p] = new_c

    start()
    substep()
    ti.sync()
    begin = resource.getrusage(resource.RUSAGE_SELF)
    for _ in range(steps):
        substep()
    ti.sync()
    end = resource.getrusage(resource.RUSAGE_SELF)
    report("taichi, quadratic", count, end.ru_utime - begin.ru_utime, steps)


SCENE = """
materials: {{stuff: {{young: 1e5, law: neo_hookean}}}}
bodies:
  block: {{shape: "box(center=({c},{c},{c}), size=({s},{s},{s}))", spacing: 1, material: stuff, method: mpm, mpm: {{kernel: {kernel}}}}}
run: {{duration: {duration}, fps: {fps}}}
world: {{dt: 0.01, force_dt: true, threads: 1}}
"""


def cpu_of(phyxel, scene, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([phyxel, "run", scene, "--out", os.path.join(folder, "out"), "--quiet", "--threads", "1"], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def run_phyxel(phyxel, side, steps, kernel):
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for n in (1, 1 + steps):
            scene = os.path.join(folder, "block.yaml")
            with open(scene, "w", encoding="utf-8") as file:
                file.write(SCENE.format(c=side / 2, s=side, kernel=kernel, duration=0.01 * n, fps=1 / (0.01 * n)))
            times.append(cpu_of(phyxel, scene, folder))
        report(f"phyxel, {kernel}", side ** 3, times[1] - times[0], steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phyxel", default="build/release/phyxel")
    parser.add_argument("--side", type=int, default=32)
    parser.add_argument("--steps", type=int, default=60)
    args = parser.parse_args()
    run_phyxel(args.phyxel, args.side, args.steps, "quadratic")
    run_phyxel(args.phyxel, args.side, args.steps, "cubic")
    run_taichi(args.side, args.steps)


if __name__ == "__main__":
    main()
