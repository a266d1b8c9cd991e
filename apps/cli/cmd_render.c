// SPDX-License-Identifier: MIT
// phyxel render: pictures, contact sheets and films of runs.
#include "pictures.h"

int cmd_render(int count, char** arguments) {
    const cli_command* command = cli_find_command("render");
    cli_pictures p = cli_pictures_default();
    const cli_option options[] = {
        {"--out", "PATH", "folder, or a .png or .webp file of one picture or sheet; RUN/pictures if not given",
         CLI_TEXT, &p.out},
        {"--sheet", "CxR", "contact sheet of C columns and R rows: sheet.png", CLI_TEXT, &p.sheet},
        {"--film", "FILE", "film: .webp, or by ffmpeg .mp4, .webm or .gif", CLI_TEXT, &p.film},
        {"--png", NULL, "single pictures also beside a sheet or film", CLI_FLAG, &p.png},
        {"--quality", "WORD", "draft, film, still or final; film", CLI_TEXT, &p.quality},
        {"--stage", "NAME", "studio, sky or dark; as what is drawn asks for", CLI_TEXT, &p.stage},
        {"--points", NULL, "draw particles as spheres, not every body as what it is", CLI_FLAG, &p.points},
        {"--surface", NULL, "draw a smooth surface around the particles of every body", CLI_FLAG, &p.surface},
        {"--skin", NULL, "draw the meshes the bodies were made of", CLI_FLAG, &p.skin},
        {"--field", "NAME", "colour by a field of the frames (vectors by length); one colour a body if not given",
         CLI_TEXT, &p.field},
        {"--range", "LOW:HIGH", "of the colours; that of 98 in 100 values of all drawn frames if not given", CLI_TEXT,
         &p.range},
        {"--map", "NAME", "viridis, inferno, coolwarm or grey", CLI_TEXT, &p.map},
        {"--size", "WxH", "pixels; 1280x720, in a sheet 480x270", CLI_TEXT, &p.size},
        {"--title", "TEXT", "above the picture", CLI_TEXT, &p.title},
        {"--plain", NULL, "no title, time and colour bar", CLI_FLAG, &p.plain},
        {"--view", "X,Y,Z", "look from this direction, at the whole motion", CLI_TEXT, &p.view},
        {"--camera", "\"EYE TARGET\"", "look from a point to a point, m: \"1,-2,1 0,0,0.2\"", CLI_TEXT, &p.camera},
        {"--floor", "HEIGHT", "of the floor, m, or none; 0 if the motion is near it", CLI_TEXT, &p.floor},
        {"--radius", "M", "of the spheres; half their spacing", CLI_NUMBER, &p.radius},
        {"--hide", "BODY", "leave a body out, by name; may be given several times", CLI_LIST, &p.choice.hide},
        {"--all", NULL, "also the bodies that the scene does not show", CLI_FLAG, &p.choice.all},
        {"--every", "N", "only every N-th frame", CLI_INT, &p.every},
        {"--frame", "N", "only frame N", CLI_INT, &p.frame},
        {"--from", "S", "only frames from this time on", CLI_NUMBER, &p.from},
        {"--to", "S", "only frames up to this time", CLI_NUMBER, &p.to},
        {"--times", "S,S,...", "only the frames nearest to these times", CLI_TEXT, &p.times},
        {"--fps", "N", "pictures a second of the film; as fast as it happened if not given", CLI_NUMBER, &p.fps},
        {"--samples", "N", "rays a pixel, 1 to 64; 4", CLI_INT, &p.samples},
        {"--occlusion", "N", "occlusion rays a sample, 0 to 64; 8", CLI_INT, &p.occlusion},
        {"--engine", "NAME", "rays, z-buffer, or cycles (by Blender)", CLI_TEXT, &p.engine},
        {"--pov", NULL, "write POV-Ray scenes, and draw them by povray if it is installed", CLI_FLAG, &p.pov},
        {"--threads", "N", "0: one per processor", CLI_INT, &p.threads},
        {"--quiet", NULL, "no progress, only warnings", CLI_FLAG, &p.quiet},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    return count ? cli_draw(command, &p, count, arguments) : cli_usage(command, "which run?");
}
