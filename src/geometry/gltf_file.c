// SPDX-License-Identifier: MIT
// Opening a glTF file: the container, base64, other files, accessors. Nothing in it is believed: every offset, stride
// and count is checked against the bytes there are before any is read.
#include "geometry/gltf_file.h"

#include "core/file.h"

#include <string.h>

#define LABEL "glTF file"

static phx_result fail_in(const phxi_gltf* g, phx_result result) {
    return result == PHX_ERROR_MEMORY ? result : phxi_fail_within(result, "%s", g->name);
}

#define GLTF_FAIL(g, ...) (phxi_fail(PHX_ERROR_FORMAT, __VA_ARGS__), fail_in((g), PHX_ERROR_FORMAT))

static uint32_t little(const void* bytes, int count) {
    const unsigned char* b = bytes;
    uint32_t value = 0;
    for (int k = count - 1; k >= 0; --k) {
        value = value << 8 | b[k];
    }
    return value;
}

// ----------------------------------------------------------------------------------------------------------- container

/// Header of 12 bytes, then chunks: length, kind, bytes. JSON first, then at most one of numbers.
static phx_result open_container(phxi_gltf* g, const char* bytes, size_t size, const char** json, size_t* json_size) {
    enum { JSON = 0x4e4f534a, BINARY = 0x004e4942 };
    if (size < 20 || little(bytes + 4, 4) != 2) {
        return GLTF_FAIL(g, "a binary glTF of version %u and %zu bytes, expected version 2 and at least 20 bytes",
                         size < 8 ? 0 : little(bytes + 4, 4), size);
    }
    *json = NULL;
    for (size_t at = 12; size - at >= 8;) {
        const size_t length = little(bytes + at, 4);
        const uint32_t kind = little(bytes + at + 4, 4);
        at += 8;
        if (length > size - at) {
            return GLTF_FAIL(g, "a chunk of %zu bytes at byte %zu, but %zu are left: the file is cut", length, at,
                             size - at);
        }
        if (kind == JSON && !*json) {
            *json = bytes + at;
            *json_size = length;
        } else if (kind == BINARY && !g->binary.bytes) {
            g->binary = (phxi_gltf_buffer){(const unsigned char*)bytes + at, length};
        }
        at += length;
    }
    return *json ? PHX_OK : GLTF_FAIL(g, "no JSON chunk, expected one behind the header of a binary glTF");
}

// ------------------------------------------------------------------------------------------------------------- buffers

static int base64_digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/// false: a character that is none of base64.
static bool decode_base64(const char* text, size_t length, unsigned char* bytes, size_t* size) {
    uint32_t bits = 0;
    int held = 0;
    *size = 0;
    while (length > 0 && text[length - 1] == '=') {
        --length;
    }
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '\\') { // JSON may write \/ for /
            continue;
        }
        const int digit = base64_digit(text[i]);
        if (digit < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)digit;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[(*size)++] = (unsigned char)(bits >> held);
        }
    }
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/// The path that a URI names, %20 and the like decoded.
static char* path_of(phxi_heap* heap, const char* uri, size_t length) {
    char* path = phxi_alloc_zero(heap, length + 1, 1, LABEL);
    for (size_t i = 0, to = 0; path && i < length; ++i) {
        const bool coded = uri[i] == '%' && length - i > 2 && hex_digit(uri[i + 1]) >= 0 && hex_digit(uri[i + 2]) >= 0;
        if (coded) {
            path[to++] = (char)(16 * hex_digit(uri[i + 1]) + hex_digit(uri[i + 2]));
            i += 2;
        } else if (uri[i] != '\\') {
            path[to++] = uri[i];
        }
    }
    return path;
}

static phx_result read_other_file(const phxi_gltf* g, const phxi_json_value* uri, int number,
                                  phxi_gltf_buffer* buffer) {
    if (!g->folder) {
        return GLTF_FAIL(g, "buffer %d is in another file, expected all in one (.glb) where there is no folder",
                         number);
    }
    char* name = path_of(g->heap, uri->text, uri->length);
    char* path = name ? phxi_path_join(g->heap, g->folder, name) : NULL;
    char* bytes = NULL;
    size_t size = 0;
    phx_result result = path ? phxi_file_read(g->heap, path, 0, &bytes, &size) : PHX_ERROR_MEMORY;
    phxi_free(g->heap, name);
    phxi_free(g->heap, path);
    *buffer = (phxi_gltf_buffer){(unsigned char*)bytes, size};
    return result == PHX_OK ? PHX_OK : fail_in(g, result);
}

static phx_result read_buffer(const phxi_gltf* g, int value, int number, phxi_gltf_buffer* buffer) {
    static const char data[] = "data:", base64[] = ";base64,";
    const int member = phxi_json_member(&g->json, value, "uri");
    if (member < 0) {
        *buffer = g->binary;
        return number == 0 && g->binary.bytes
                   ? PHX_OK
                   : GLTF_FAIL(g, "buffer %d has no uri, expected one, or the binary chunk of a .glb", number);
    }
    const phxi_json_value* uri = &g->json.values.items[member];
    if (uri->kind != PHXI_JSON_STRING) {
        return GLTF_FAIL(g, "the uri of buffer %d is no text, expected data: or the name of a file", number);
    }
    if (uri->length < sizeof data || memcmp(uri->text, data, sizeof data - 1) != 0) {
        return read_other_file(g, uri, number, buffer);
    }
    const char* at = uri->text;
    const char* end = uri->text + uri->length;
    while ((size_t)(end - at) >= sizeof base64 - 1 && memcmp(at, base64, sizeof base64 - 1) != 0) {
        ++at;
    }
    const size_t length = (size_t)(end - at) < sizeof base64 - 1 ? 0 : (size_t)(end - at) - (sizeof base64 - 1);
    unsigned char* bytes = phxi_alloc(g->heap, length + 1, 1, LABEL);
    if (!bytes) {
        return PHX_ERROR_MEMORY;
    }
    buffer->bytes = bytes;
    return length > 0 && decode_base64(end - length, length, bytes, &buffer->size)
               ? PHX_OK
               : GLTF_FAIL(g, "buffer %d is no base64, expected data:...;base64, and letters, digits, + and /", number);
}

static phx_result read_buffers(phxi_gltf* g) {
    int number = 0;
    for (int value = phxi_json_first(&g->json, phxi_json_member(&g->json, 0, "buffers")); value >= 0;
         value = g->json.values.items[value].next, ++number) {
        phxi_gltf_buffer* buffer = phxi_array_add(&g->buffers, g->heap, LABEL);
        if (!buffer) {
            return PHX_ERROR_MEMORY;
        }
        *buffer = (phxi_gltf_buffer){0};
        PHXI_TRY(read_buffer(g, value, number, buffer));
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- opening

/// Extensions that change what numbers mean are refused by name; those of looks and lights do not matter here.
static phx_result check_extensions(const phxi_gltf* g) {
    static const char* const known[] = {"KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "KHR_lights_",
                                        "EXT_texture_",          "KHR_xmp",        "MSFT_"};
    for (int value = phxi_json_first(&g->json, phxi_json_member(&g->json, 0, "extensionsRequired")); value >= 0;
         value = g->json.values.items[value].next) {
        const phxi_json_value* name = &g->json.values.items[value];
        bool fine = false;
        for (size_t k = 0; k < sizeof known / sizeof *known && name->kind == PHXI_JSON_STRING; ++k) {
            const size_t length = strlen(known[k]);
            fine = fine || (name->length >= length && memcmp(name->text, known[k], length) == 0);
        }
        if (!fine) {
            return GLTF_FAIL(g, "the file needs the extension '%.*s', expected one without compression",
                             (int)(name->kind == PHXI_JSON_STRING && name->length < 60 ? name->length : 0), name->text);
        }
    }
    return PHX_OK;
}

phx_result phxi_gltf_open(phxi_gltf* g, phxi_heap* heap, const char* name, const char* folder, const char* bytes,
                          size_t size) {
    const char* json = bytes;
    size_t json_size = size;
    *g = (phxi_gltf){.heap = heap, .name = name, .folder = folder};
    if (size >= 4 && memcmp(bytes, "glTF", 4) == 0) {
        PHXI_TRY(open_container(g, bytes, size, &json, &json_size));
        while (json_size > 0 && json[json_size - 1] == 0) { // some pad with zeros instead of blanks
            --json_size;
        }
    }
    PHXI_TRY(phxi_json_parse(&g->json, heap, name, json, json_size));
    const int version = phxi_json_member(&g->json, phxi_json_member(&g->json, 0, "asset"), "version");
    const phxi_json_value* text = version < 0 ? NULL : &g->json.values.items[version];
    if (!text || text->kind != PHXI_JSON_STRING || text->length < 2 || memcmp(text->text, "2.", 2) != 0) {
        return GLTF_FAIL(g, "no asset.version 2.0, expected a glTF file of that version");
    }
    PHXI_TRY(check_extensions(g));
    return read_buffers(g);
}

void phxi_gltf_close(phxi_gltf* g) {
    phxi_json_destroy(&g->json);
    phxi_array_destroy(&g->buffers, g->heap);
}

// ----------------------------------------------------------------------------------------------------------- accessors

static int size_of_type(int type) {
    return type == PHXI_GLTF_BYTE || type == PHXI_GLTF_UBYTE     ? 1
           : type == PHXI_GLTF_SHORT || type == PHXI_GLTF_USHORT ? 2
           : type == PHXI_GLTF_UINT || type == PHXI_GLTF_FLOAT   ? 4
                                                                 : 0;
}

static int components_of(const phxi_json* json, int accessor) {
    static const char* const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    const int type = phxi_json_member(json, accessor, "type");
    for (int k = 0; k < 4; ++k) {
        if (phxi_json_is(json, type, types[k])) {
            return k + 1;
        }
    }
    return 0;
}

phx_result phxi_gltf_access(const phxi_gltf* g, int number, int components, const char* what, phxi_gltf_accessor* a) {
    const phxi_json* json = &g->json;
    const int value = phxi_json_item(json, phxi_json_member(json, 0, "accessors"), number);
    const int view = phxi_json_item(json, phxi_json_member(json, 0, "bufferViews"),
                                    phxi_json_index(json, phxi_json_member(json, value, "bufferView"), -1));
    const int buffer = phxi_json_index(json, phxi_json_member(json, view, "buffer"), -1);
    const int from = phxi_json_index(json, phxi_json_member(json, view, "byteOffset"), 0);
    const int length = phxi_json_index(json, phxi_json_member(json, view, "byteLength"), -1);
    const int offset = phxi_json_index(json, phxi_json_member(json, value, "byteOffset"), 0);
    const int stride = phxi_json_index(json, phxi_json_member(json, view, "byteStride"), 0);
    const int normalized = phxi_json_member(json, value, "normalized");
    if (value < 0 || view < 0 || phxi_json_member(json, value, "sparse") >= 0) {
        return GLTF_FAIL(g, "accessor %d (%s) %s, expected one with a bufferView that is not sparse", number, what,
                         value < 0 ? "is not there" : "has no bufferView, or is sparse");
    }
    *a = (phxi_gltf_accessor){.count = phxi_json_index(json, phxi_json_member(json, value, "count"), -1),
                              .components = components_of(json, value),
                              .type = phxi_json_index(json, phxi_json_member(json, value, "componentType"), -1),
                              .normalized = normalized >= 0 && json->values.items[normalized].kind == PHXI_JSON_TRUE};
    const int size = size_of_type(a->type) * a->components;
    if (a->components != components || size == 0 || a->count < 1) {
        return GLTF_FAIL(g,
                         "accessor %d (%s) has %d components of type %d, %d of them, expected %d of type 5120 to 5126",
                         number, what, a->components, a->type, a->count, components);
    }
    a->stride = stride > 0 ? (size_t)stride : (size_t)size;
    const size_t last = (size_t)offset + a->stride * (size_t)(a->count - 1) + (size_t)size;
    if (buffer < 0 || buffer >= g->buffers.count || from < 0 || length < 0 || offset < 0 || stride < 0 ||
        (stride > 0 && stride < size) || last > (size_t)length ||
        (size_t)from + (size_t)length > g->buffers.items[buffer].size) {
        return GLTF_FAIL(g, "accessor %d (%s) needs bytes %zu of its bufferView, which is not all there", number, what,
                         last);
    }
    a->bytes = g->buffers.items[buffer].bytes + from + offset;
    return PHX_OK;
}

uint32_t phxi_gltf_whole(const phxi_gltf_accessor* a, int i) {
    return little(a->bytes + (size_t)i * a->stride, size_of_type(a->type));
}

double phxi_gltf_number(const phxi_gltf_accessor* a, int i, int c) {
    const int size = size_of_type(a->type);
    const uint32_t bits = little(a->bytes + (size_t)i * a->stride + (size_t)(c * size), size);
    float real;
    memcpy(&real, &bits, sizeof real);
    const double most = a->normalized ? (a->type == PHXI_GLTF_BYTE     ? 127
                                         : a->type == PHXI_GLTF_UBYTE  ? 255
                                         : a->type == PHXI_GLTF_SHORT  ? 32767
                                         : a->type == PHXI_GLTF_USHORT ? 65535
                                                                       : 1)
                                      : 1;
    switch (a->type) {
    case PHXI_GLTF_FLOAT:
        return (double)real;
    case PHXI_GLTF_BYTE:
        return fmax((double)(int8_t)bits / most, a->normalized ? -1 : -128);
    case PHXI_GLTF_SHORT:
        return fmax((double)(int16_t)bits / most, a->normalized ? -1 : -32768);
    default:
        return (double)bits / most;
    }
}
