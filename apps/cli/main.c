// SPDX-License-Identifier: MIT
// phyxel COMMAND ...: finds the command and hands over.
#include "cli.h"

#include <signal.h>
#include <string.h>

const cli_command cli_commands[] = {
    {"run", "simulate a scene", "run SCENE [options]", "run scenes/bounce-ball.yaml --out out/bounce",
     "Writes frames (for ParaView: frames.pvd), probe files and a checkpoint into the output folder. Ctrl-C writes a\n"
     "checkpoint and stops; --resume goes on from there with the same bits as if it had never stopped. What an "
     "earlier\n"
     "run left in the folder is moved to earlier-1 in it.",
     cmd_run},
    {"render", "draw pictures, contact sheets and films of runs", "render RUN [RUN ...] [options]",
     "render out/bounce --sheet 4x2 --field von_mises",
     "RUN is the folder of a run, its frames.pvd, or one frame (.vtp, .ply, .obj). Several runs are drawn side by "
     "side, at\n"
     "the same times, with the same camera and colours. Frames that are missing or damaged are told and left out; "
     "exit\n"
     "code 6 then, and when ffmpeg or povray would be needed and is not installed.",
     cmd_render},
    {"surface", "write the surfaces of a run for other programs", "surface RUN [options]",
     "surface out/bounce --every 10 --format obj",
     "Reconstructs a closed surface around the particles of every frame (or carries the input meshes along: --skin, "
     "or\n"
     "just converts the particles: --points) and writes frame_00000.ply ... with normals and all fields.",
     cmd_surface},
    {"plot", "plot the columns of a probe over time", "plot PROBE.csv [options]",
     "plot out/bounce/probes/ball.csv --columns z,max_speed --out out/bounce/ball.svg",
     "Draws with gnuplot; exit code 6 if it is not installed.", cmd_plot},
    {"compare", "one scene with several methods: accuracy, stability, cost", "compare SCENE --methods A,B [options]",
     "compare scenes/compare-bar.yaml --methods efg,elastoplastic_sph,fem --spacings 1,0.5 --column x --quantity "
     "period "
     "--exact 20",
     "Runs the scene with every method and takes one number of a probe: how far it is from --exact (or, without, from\n"
     "what the first method gives at the finest spacing), how long substeps may be before the run blows up, and what "
     "the\n"
     "same error costs each of them. Options of a method stand behind it: --methods fem,fem:integrator=bdf2.\n"
     "A method that cannot do the scene says why. --plot draws with gnuplot; exit code 6 if it is not installed.",
     cmd_compare},
    {"sample", "fill a mesh or a shape with particles and report", "sample MESH|SHAPE --spacing M [options]",
     "sample scenes/models/hare.obj --spacing 0.01",
     "SHAPE is an expression such as \"sphere(radius=0.1)\" (phyxel help shapes).", cmd_sample},
    {"validate", "compare with known answers", "validate [CASE ...] [options]", "validate efg.patch efg.rotation",
     "Prints a table of measured against exact values. Exit code 1 if any is out of its bound.", cmd_validate},
    {"bench", "measure speed", "bench [SECTION] [options]", "bench efg.paths --seconds 0.2 --max-particles 5000",
     "All numbers that are compared come from one run, in turns. x limit is the time of a substep over two passes of "
     "a\n"
     "bare loop (load index and gradient, gather a position, multiply-add) over the same lists.",
     cmd_bench},
    {"methods", "list the methods, or the parameters of one", "methods [NAME]", "methods efg", NULL, cmd_methods},
    {"materials", "list the material presets, or show one", "materials [NAME]", "materials rubber", NULL,
     cmd_materials},
    {"help", "explain a command, a method, a scene section, or a topic", "help [TOPIC]", "help bodies", NULL, cmd_help},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

const cli_command* cli_find_command(const char* name) {
    for (const cli_command* command = cli_commands; command->name; ++command) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

static const char* command_name(int i) {
    return cli_commands[i].name;
}

int main(int count, char** arguments) {
    if (count < 2) {
        cmd_help(0, NULL);
        return CLI_USAGE;
    }
    signal(SIGXFSZ, SIG_IGN); // a file that grows past the limit is an error with a message, as a full disk is
    const char* name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return cmd_help(0, NULL);
    }
    if (strcmp(name, "--version") == 0) {
        printf("phyxel %s\n", phx_version());
        return CLI_OK;
    }
    const cli_command* command = cli_find_command(name);
    if (!command) {
        int commands = (int)(sizeof cli_commands / sizeof cli_commands[0]) - 1;
        fprintf(stderr, "phyxel: there is no command '%s'%s\nphyxel help lists them\n", name,
                cli_suggest(name, commands, command_name));
        return CLI_USAGE;
    }
    int code = command->run(count - 2, arguments + 2);
    // A full disk or a closed pipe behind stdout must not pass for success.
    if (fflush(stdout) != 0 && code == CLI_OK) {
        fprintf(stderr, "phyxel: the output could not be written\n");
        return CLI_BAD_INPUT;
    }
    return code;
}
