// SPDX-License-Identifier: MIT
// Rays by Embree 3: one geometry of triangles or of spheres for each drawing; single rays for what the eye sees and for
// paths of light, packets of eight for occlusion.
#include "render/trace.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <string.h>

const char* const phxi_tracer_name = "embree";

struct phxi_tracer {
    const phxi_drawing** drawings; // by number of geometry; of the caller
    RTCDevice device;
    RTCScene scene;
    struct RTCBounds box; // of everything
};

// Embree's buffers are its own copies: it may read a little behind the last item.
static bool copy_buffer(RTCGeometry geometry, enum RTCBufferType type, enum RTCFormat format, const void* from,
                        size_t stride, int count) {
    void* to = rtcSetNewGeometryBuffer(geometry, type, 0, format, stride, (size_t)count);
    if (to) {
        memcpy(to, from, stride * (size_t)count);
    }
    return to != NULL;
}

static bool add_geometry(phxi_tracer* tracer, const phxi_drawing* d, unsigned number) {
    bool spheres = d->triangles == 0;
    RTCGeometry geometry =
        rtcNewGeometry(tracer->device, spheres ? RTC_GEOMETRY_TYPE_SPHERE_POINT : RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) {
        return false;
    }
    bool good;
    if (spheres) {
        good = copy_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, d->positions, 4 * sizeof(float),
                           d->points);
    } else {
        good =
            copy_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, d->positions, 4 * sizeof(float),
                        d->points) &&
            copy_buffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, d->indices, 3 * sizeof(int), d->triangles);
    }
    if (good) {
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(tracer->scene, geometry, number);
    }
    rtcReleaseGeometry(geometry);
    return good;
}

phx_result phxi_tracer_create(phxi_heap* heap, const phxi_drawing* drawing, phxi_tracer** tracer) {
    *tracer = phxi_alloc_zero(heap, 1, sizeof **tracer, "tracer");
    if (!*tracer) {
        return PHX_ERROR_MEMORY;
    }
    unsigned count = 0;
    for (const phxi_drawing* d = drawing; d; d = d->beside) {
        ++count;
    }
    (*tracer)->drawings = phxi_alloc(heap, count, sizeof *(*tracer)->drawings, "tracer");
    (*tracer)->device = rtcNewDevice("threads=1,start_threads=0");
    (*tracer)->scene = (*tracer)->device ? rtcNewScene((*tracer)->device) : NULL;
    bool good = (*tracer)->scene && (*tracer)->drawings;
    unsigned number = 0;
    for (const phxi_drawing* d = drawing; d && good; d = d->beside, ++number) {
        (*tracer)->drawings[number] = d;
        good = d->points == 0 || add_geometry(*tracer, d, number);
    }
    if (good) {
        rtcCommitScene((*tracer)->scene);
        rtcGetSceneBounds((*tracer)->scene, &(*tracer)->box);
        good = rtcGetDeviceError((*tracer)->device) == RTC_ERROR_NONE;
    }
    if (!good) {
        phxi_tracer_destroy(heap, *tracer);
        *tracer = NULL;
        return phxi_fail(PHX_ERROR_MEMORY, "Embree could not take %d points and %d triangles", drawing->points,
                         drawing->triangles);
    }
    return PHX_OK;
}

void phxi_tracer_destroy(phxi_heap* heap, phxi_tracer* tracer) {
    if (!tracer) {
        return;
    }
    if (tracer->scene) {
        rtcReleaseScene(tracer->scene);
    }
    if (tracer->device) {
        rtcReleaseDevice(tracer->device);
    }
    phxi_free(heap, tracer->drawings);
    phxi_free(heap, tracer);
}

void phxi_tracer_hit(const phxi_tracer* tracer, const float origin[3], const float direction[3], phxi_hit* hit) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit ray = {.ray = {.org_x = origin[0],
                                    .org_y = origin[1],
                                    .org_z = origin[2],
                                    .dir_x = direction[0],
                                    .dir_y = direction[1],
                                    .dir_z = direction[2],
                                    .tfar = INFINITY,
                                    .mask = 0xFFFFFFFFu},
                            .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    rtcIntersect1(tracer->scene, &context, &ray);
    hit->distance = INFINITY;
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
        return;
    }
    hit->distance = ray.ray.tfar;
    float length = sqrtf(ray.hit.Ng_x * ray.hit.Ng_x + ray.hit.Ng_y * ray.hit.Ng_y + ray.hit.Ng_z * ray.hit.Ng_z);
    float scale = length > 0 ? 1 / length : 0;
    hit->face[0] = ray.hit.Ng_x * scale, hit->face[1] = ray.hit.Ng_y * scale, hit->face[2] = ray.hit.Ng_z * scale;
    int primitive = (int)ray.hit.primID;
    const phxi_drawing* seen = tracer->drawings[ray.hit.geomID];
    if (seen->triangles == 0) {
        float facing = hit->face[0] * direction[0] + hit->face[1] * direction[1] + hit->face[2] * direction[2];
        hit->of = seen;
        hit->point = primitive;
        hit->from_outside = facing <= 0;
        for (int k = 0; k < 3 && facing > 0; ++k) {
            hit->face[k] = -hit->face[k];
        }
        memcpy(hit->normal, hit->face, sizeof hit->normal);
        memcpy(hit->color, seen->colors + 3 * primitive, sizeof hit->color);
    } else {
        float weights[3] = {1 - ray.hit.u - ray.hit.v, ray.hit.u, ray.hit.v};
        phxi_hit_finish(seen, primitive, weights, direction, hit);
    }
}

int phxi_tracer_blocked(const phxi_tracer* tracer, const float origin[3], const float (*directions)[8], int count,
                        float reach) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay8 rays;
    int valid[8] __attribute__((aligned(32)));
    for (int k = 0; k < 8; ++k) {
        valid[k] = k < count ? -1 : 0;
        rays.org_x[k] = origin[0], rays.org_y[k] = origin[1], rays.org_z[k] = origin[2];
        rays.dir_x[k] = directions[0][k], rays.dir_y[k] = directions[1][k], rays.dir_z[k] = directions[2][k];
        rays.tnear[k] = 0, rays.tfar[k] = reach, rays.time[k] = 0;
        rays.mask[k] = 0xFFFFFFFFu, rays.id[k] = 0, rays.flags[k] = 0;
    }
    rtcOccluded8(valid, tracer->scene, &context, &rays);
    int blocked = 0;
    for (int k = 0; k < count; ++k) {
        blocked += rays.tfar[k] < 0;
    }
    return blocked;
}

bool phxi_tracer_shaded(const phxi_tracer* tracer, const float origin[3], const float direction[3]) {
    // rays that pass by the box of everything are many, and need not be sent
    const float low[3] = {tracer->box.lower_x, tracer->box.lower_y, tracer->box.lower_z};
    const float high[3] = {tracer->box.upper_x, tracer->box.upper_y, tracer->box.upper_z};
    float enter = 0, leave = INFINITY;
    for (int k = 0; k < 3; ++k) {
        float inverse = 1 / direction[k], a = (low[k] - origin[k]) * inverse, b = (high[k] - origin[k]) * inverse;
        enter = fmaxf(enter, fminf(a, b)), leave = fminf(leave, fmaxf(a, b)); // NaN of 0 times infinity: passed over
    }
    if (enter > leave * 1.00001f) {
        return false;
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay ray = {.org_x = origin[0],
                         .org_y = origin[1],
                         .org_z = origin[2],
                         .dir_x = direction[0],
                         .dir_y = direction[1],
                         .dir_z = direction[2],
                         .tfar = INFINITY,
                         .mask = 0xFFFFFFFFu};
    rtcOccluded1(tracer->scene, &context, &ray);
    return ray.tfar < 0;
}

bool phxi_tracer_near(const phxi_tracer* tracer, const float point[3], float reach) {
    const struct RTCBounds* b = &tracer->box;
    float x = fmaxf(fmaxf(b->lower_x - point[0], point[0] - b->upper_x), 0);
    float y = fmaxf(fmaxf(b->lower_y - point[1], point[1] - b->upper_y), 0);
    float z = fmaxf(fmaxf(b->lower_z - point[2], point[2] - b->upper_z), 0);
    return x * x + y * y + z * z <= 1.0001f * reach * reach;
}
