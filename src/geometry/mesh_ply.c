// SPDX-License-Identifier: MIT
// PLY, text and binary of both byte orders. The header is turned into a table of elements and properties; then every
// row of every element is read by that table, and what is not a vertex' x, y, z or a face's list of vertices falls
// away. Vertices may come before or after faces, with anything between.
//
// Sizes in a header are claims: an element is entered only if the bytes left could hold its rows, and memory grows with
// the rows that are really there.
#include "geometry/mesh_source.h"
#include "core/text.h"

#include <string.h>

typedef enum value_type { NO_TYPE, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } value_type;

static const struct {
    const char* name;
    value_type type;
} type_names[] = {
    {"char", INT8},     {"uchar", UINT8},    {"short", INT16},     {"ushort", UINT16},
    {"int", INT32},     {"uint", UINT32},    {"int8", INT8},       {"uint8", UINT8},
    {"int16", INT16},   {"uint16", UINT16},  {"int32", INT32},     {"uint32", UINT32},
    {"float", FLOAT32}, {"double", FLOAT64}, {"float32", FLOAT32}, {"float64", FLOAT64},
};
static const size_t type_size[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

typedef enum role { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_CORNERS } role;

typedef struct property {
    phxi_word name;
    value_type type;       // of the value or the items
    value_type count_type; // of the count in front of a list; NO_TYPE: a single value
    role role;
} property;

typedef struct element {
    phxi_word name;
    int64_t count, line;
    int first, property_count; // of `properties`
    bool is_vertex, is_face;
} element;

typedef struct ply {
    phxi_source source;
    phxi_mesh_builder builder;
    phxi_heap heap; // of the header's tables
    bool big_endian;
    PHXI_ARRAY(element) elements;
    PHXI_ARRAY(property) properties;
} ply;

// -------------------------------------------------------------------------------------------------------------- header

static phx_result next_word(ply* p, phxi_word* word, const char* expected) {
    return phxi_source_word(&p->source, word) ? PHX_OK
                                              : phxi_source_fail(&p->source, "the line ends, expected %s", expected);
}

static phx_result read_type(ply* p, phxi_word word, value_type* type) {
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; ++i) {
        if (phxi_word_is(word, type_names[i].name)) {
            *type = type_names[i].type;
            return PHX_OK;
        }
    }
    return phxi_source_fail(&p->source,
                            "'%s' is not a PLY type, expected char, uchar, short, ushort, int, uint, float "
                            "or double",
                            phxi_source_quote(&p->source, word).text);
}

static phx_result read_format(ply* p, bool* binary) {
    phxi_word word;
    PHXI_TRY(next_word(p, &word, "a format"));
    *binary = !phxi_word_is(word, "ascii");
    p->big_endian = phxi_word_is(word, "binary_big_endian");
    if (*binary && !p->big_endian && !phxi_word_is(word, "binary_little_endian")) {
        return phxi_source_fail(&p->source,
                                "the format '%s', expected ascii, binary_little_endian or binary_big_endian",
                                phxi_source_quote(&p->source, word).text);
    }
    PHXI_TRY(next_word(p, &word, "the version 1.0"));
    if (!phxi_word_is(word, "1.0")) {
        return phxi_source_fail(&p->source, "the PLY version '%s', expected 1.0",
                                phxi_source_quote(&p->source, word).text);
    }
    return PHX_OK;
}

static phx_result read_element(ply* p) {
    element made = {.line = p->source.line, .first = p->properties.count};
    phxi_word word;
    PHXI_TRY(next_word(p, &made.name, "the name of an element"));
    PHXI_TRY(next_word(p, &word, "the number of rows"));
    if (!phxi_parse_int(word.text, word.length, &made.count) || made.count < 0) {
        return phxi_source_fail(&p->source, "'%s' rows, expected a whole number from 0",
                                phxi_source_quote(&p->source, word).text);
    }
    made.is_vertex = phxi_word_is(made.name, "vertex");
    made.is_face = phxi_word_is(made.name, "face");
    for (int i = 0; i < p->elements.count; ++i) {
        const element* other = &p->elements.items[i];
        if ((made.is_vertex && other->is_vertex) || (made.is_face && other->is_face)) {
            return phxi_source_fail(&p->source, "a second element '%s', expected one (the first is in line %lld)",
                                    phxi_source_quote(&p->source, made.name).text, (long long)other->line);
        }
    }
    element* slot = phxi_array_add(&p->elements, &p->heap, "PLY header");
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *slot = made;
    return PHX_OK;
}

// Which property it is for us; refuses a second one of the kind and types that cannot serve.
static phx_result find_role(ply* p, const element* of, property* made) {
    static const char* const names[] = {[ROLE_X] = "x", [ROLE_Y] = "y", [ROLE_Z] = "z"};
    if (of->is_face && (phxi_word_is(made->name, "vertex_indices") || phxi_word_is(made->name, "vertex_index"))) {
        made->role = ROLE_CORNERS;
        if (made->count_type == NO_TYPE || made->type == FLOAT32 || made->type == FLOAT64) {
            return phxi_source_fail(&p->source, "'%s' is no list of whole numbers, expected property list uchar int %s",
                                    phxi_source_quote(&p->source, made->name).text,
                                    phxi_source_quote(&p->source, made->name).text);
        }
    }
    for (role r = ROLE_X; of->is_vertex && r <= ROLE_Z; ++r) {
        if (phxi_word_is(made->name, names[r])) {
            made->role = r;
            if (made->count_type != NO_TYPE) {
                return phxi_source_fail(&p->source, "%s of a vertex is a list, expected one number", names[r]);
            }
        }
    }
    for (int i = of->first; made->role != ROLE_NONE && i < p->properties.count; ++i) {
        if (p->properties.items[i].role == made->role) {
            return phxi_source_fail(&p->source, "a second property '%s', expected one",
                                    phxi_source_quote(&p->source, made->name).text);
        }
    }
    return PHX_OK;
}

static phx_result read_property(ply* p) {
    if (p->elements.count == 0) {
        return phxi_source_fail(&p->source, "a property before any element, expected 'element vertex ...'");
    }
    element* of = &p->elements.items[p->elements.count - 1];
    property made = {0};
    phxi_word word;
    PHXI_TRY(next_word(p, &word, "the type of a property"));
    if (phxi_word_is(word, "list")) {
        PHXI_TRY(next_word(p, &word, "the type of a list's count"));
        PHXI_TRY(read_type(p, word, &made.count_type));
        if (made.count_type >= FLOAT32) {
            return phxi_source_fail(&p->source, "a list counted by '%s', expected a whole type such as uchar",
                                    phxi_source_quote(&p->source, word).text);
        }
        PHXI_TRY(next_word(p, &word, "the type of a list's items"));
    }
    PHXI_TRY(read_type(p, word, &made.type));
    PHXI_TRY(next_word(p, &made.name, "the name of a property"));
    PHXI_TRY(find_role(p, of, &made));
    property* slot = phxi_array_add(&p->properties, &p->heap, "PLY header");
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *slot = made;
    ++of->property_count;
    return PHX_OK;
}

// All that is needed to make triangles has been declared.
static phx_result check_header(ply* p) {
    bool has[ROLE_CORNERS + 1] = {0}, has_vertex = false, has_face = false;
    for (int i = 0; i < p->elements.count; ++i) {
        has_vertex |= p->elements.items[i].is_vertex;
        has_face |= p->elements.items[i].is_face;
    }
    for (int i = 0; i < p->properties.count; ++i) {
        has[p->properties.items[i].role] = true;
    }
    if (!has_vertex || (!has_face && !p->builder.cloud)) {
        return phxi_source_fail(&p->source, "no element '%s', expected vertex and face",
                                has_vertex ? "face" : "vertex");
    }
    if (!has[ROLE_X] || !has[ROLE_Y] || !has[ROLE_Z]) {
        return phxi_source_fail(&p->source, "vertices without %s, expected properties x, y and z",
                                !has[ROLE_X]   ? "x"
                                : !has[ROLE_Y] ? "y"
                                               : "z");
    }
    if (has_face && !has[ROLE_CORNERS]) {
        return phxi_source_fail(&p->source, "faces without vertices, expected property list uchar int vertex_indices");
    }
    return PHX_OK;
}

// Past the line of end_header. In a file whose lines end in CR a data byte that looks like LF belongs to the data.
static void pass_header_end(ply* p) {
    phxi_source* s = &p->source;
    const bool cr_alone = s->begin[3] == '\r' && s->end - s->begin > 4 && s->begin[4] != '\n';
    (void)phxi_source_rest(s);
    if (cr_alone && s->at < s->end) {
        ++s->at;
        ++s->line;
    } else {
        phxi_source_next_line(s);
    }
}

static phx_result read_header(ply* p) {
    bool has_format = false, binary = false;
    phxi_word word;
    if (!phxi_source_word(&p->source, &word) || !phxi_word_is(word, "ply") || word.text != p->source.begin) {
        return phxi_source_fail(&p->source, "'%s', expected 'ply'", phxi_source_quote(&p->source, word).text);
    }
    p->source.known = true;
    while (phxi_source_next_line(&p->source)) {
        if (!phxi_source_word(&p->source, &word)) {
            continue;
        }
        if (phxi_word_is(word, "end_header")) {
            if (!has_format) {
                return phxi_source_fail(&p->source, "no format up to here, expected 'format ascii 1.0' or the like");
            }
            PHXI_TRY(check_header(p));
            pass_header_end(p);
            p->source.binary = binary;
            return PHX_OK;
        }
        if (phxi_word_is(word, "format")) {
            has_format = true;
            PHXI_TRY(read_format(p, &binary));
        } else if (phxi_word_is(word, "element")) {
            PHXI_TRY(read_element(p));
        } else if (phxi_word_is(word, "property")) {
            PHXI_TRY(read_property(p));
        } else if (!phxi_word_is(word, "comment") && !phxi_word_is(word, "obj_info")) {
            return phxi_source_fail(&p->source,
                                    "'%s' in the header, expected format, comment, element, property or "
                                    "end_header",
                                    phxi_source_quote(&p->source, word).text);
        }
    }
    return phxi_source_fail(&p->source, "the file ends in the header, expected end_header");
}

// ---------------------------------------------------------------------------------------------------------------- rows

static phx_result binary_value(ply* p, value_type type, double* value) {
    const size_t size = type_size[type];
    if (phxi_source_left(&p->source) < size) {
        return phxi_source_fail(&p->source, "the file ends within a value of %zu bytes, expected more rows", size);
    }
    const unsigned char* bytes = (const unsigned char*)p->source.at;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        bits |= (uint64_t)bytes[p->big_endian ? size - 1 - i : i] << 8 * i;
    }
    p->source.at += size;
    const uint32_t low = (uint32_t)bits;
    float single;
    switch (type) {
    case INT8:
        *value = (int8_t)low;
        break;
    case INT16:
        *value = (int16_t)low;
        break;
    case INT32:
        *value = (int32_t)low;
        break;
    case FLOAT32:
        memcpy(&single, &low, sizeof single);
        *value = (double)single;
        break;
    case FLOAT64:
        memcpy(value, &bits, sizeof *value);
        break;
    default:
        *value = low;
    }
    return PHX_OK;
}

static phx_result text_value(ply* p, value_type type, double* value) {
    phxi_word word;
    PHXI_TRY(next_word(p, &word, "a value for every property of the row"));
    int64_t whole = 0;
    const bool good = type >= FLOAT32
                          ? phxi_parse_double(word.text, word.length, true, value)
                          : phxi_parse_int(word.text, word.length, &whole) && whole >= INT32_MIN && whole <= UINT32_MAX;
    if (!good) {
        return phxi_source_fail(&p->source, "'%s' is not a number, expected a %s one",
                                phxi_source_quote(&p->source, word).text, type >= FLOAT32 ? "finite" : "whole");
    }
    if (type < FLOAT32) {
        *value = (double)whole;
    }
    return PHX_OK;
}

static phx_result read_value(ply* p, value_type type, double* value) {
    return p->source.binary ? binary_value(p, type, value) : text_value(p, type, value);
}

// The least that one value takes: its bytes, or a digit and a blank. The last of a text needs no blank.
static size_t least_bytes(const ply* p, value_type type) {
    return p->source.binary ? type_size[type] : 2;
}

static size_t room_left(const ply* p) {
    return phxi_source_left(&p->source) + !p->source.binary;
}

static phx_result read_list(ply* p, const property* of) {
    double count, value;
    PHXI_TRY(read_value(p, of->count_type, &count));
    const size_t most = room_left(p) / least_bytes(p, of->type);
    if (!(count >= 0) || count > (double)most) {
        return phxi_source_fail(&p->source, "a list of %.0f items with %zu bytes left, expected no more than fit",
                                count, phxi_source_left(&p->source));
    }
    phxi_builder_polygon(&p->builder);
    if (of->role == ROLE_CORNERS && count < 3) {
        return phxi_source_fail(&p->source, "a face of %.0f corners, expected at least 3", count);
    }
    for (int64_t i = 0; i < (int64_t)count; ++i) {
        PHXI_TRY(read_value(p, of->type, &value));
        if (of->role == ROLE_CORNERS) {
            PHXI_TRY(phxi_builder_corner(&p->builder, (int64_t)value));
        }
    }
    return PHX_OK;
}

static phx_result read_row(ply* p, const element* of) {
    double place[3] = {0};
    for (int i = of->first; i < of->first + of->property_count; ++i) {
        const property* it = &p->properties.items[i];
        if (it->count_type != NO_TYPE) {
            PHXI_TRY(read_list(p, it));
            continue;
        }
        const int64_t start = phxi_source_place(&p->source);
        double value;
        PHXI_TRY(read_value(p, it->type, &value));
        if (it->role != ROLE_NONE) {
            PHXI_TRY(phxi_source_check_coordinate(&p->source, start, value));
            place[it->role - ROLE_X] = value;
        }
    }
    return of->is_vertex ? phxi_builder_vertex(&p->builder, (phx_vec3){place[0], place[1], place[2]}) : PHX_OK;
}

// To the line of the next row, past empty ones.
static void begin_row_line(ply* p) {
    phxi_word word;
    if (phxi_source_any_word(&p->source, &word)) {
        p->source.at = word.text;
    }
}

static phx_result end_row_line(ply* p) {
    phxi_word word;
    if (phxi_source_word(&p->source, &word)) {
        return phxi_source_fail(&p->source, "'%s' behind the last property of a row, expected the end of the line",
                                phxi_source_quote(&p->source, word).text);
    }
    return PHX_OK;
}

static phx_result read_rows(ply* p, const element* of) {
    size_t least = 0;
    for (int i = of->first; i < of->first + of->property_count; ++i) {
        const property* it = &p->properties.items[i];
        least += least_bytes(p, it->count_type != NO_TYPE ? it->count_type : it->type);
    }
    if (least == 0) {
        return PHX_OK; // no properties: rows of nothing
    }
    if ((uint64_t)of->count > room_left(p) / least) {
        return phxi_source_fail(&p->source,
                                "%lld rows of '%s' (line %lld) with %zu bytes left, expected no more than fit",
                                (long long)of->count, phxi_source_quote(&p->source, of->name).text, (long long)of->line,
                                phxi_source_left(&p->source));
    }
    for (int64_t row = 0; row < of->count; ++row) {
        if (p->source.binary) {
            PHXI_TRY(read_row(p, of));
        } else {
            begin_row_line(p);
            PHXI_TRY(read_row(p, of));
            PHXI_TRY(end_row_line(p));
        }
    }
    return PHX_OK;
}

static phx_result read_all(ply* p) {
    PHXI_TRY(read_header(p));
    for (int i = 0; i < p->elements.count; ++i) {
        PHXI_TRY(read_rows(p, &p->elements.items[i]));
    }
    phxi_word word = {p->source.at, phxi_source_left(&p->source)};
    if (p->source.binary ? word.length > 0 : phxi_source_any_word(&p->source, &word)) {
        return phxi_source_fail(&p->source, "'%s' behind the last row, expected the end of the file",
                                phxi_source_quote(&p->source, word).text);
    }
    return PHX_OK;
}

static phx_result read_ply(const char* name, const char* bytes, size_t size, const phx_allocator* allocator, bool cloud,
                           phx_mesh** mesh) {
    ply p = {.source = phxi_source_of(name, bytes, size)};
    phxi_heap_init(&p.heap, allocator);
    PHXI_TRY(phxi_builder_begin(&p.builder, &p.source, allocator));
    p.builder.cloud = cloud;
    phx_result result = read_all(&p);
    result = result == PHX_OK ? phxi_builder_finish(&p.builder, mesh) : phxi_builder_abandon(&p.builder, result);
    phxi_heap_destroy(&p.heap);
    return result;
}

phx_result phxi_mesh_read_ply(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                              phx_mesh** mesh) {
    return read_ply(name, bytes, size, allocator, false, mesh);
}

phx_result phxi_mesh_read_ply_cloud(const char* name, const char* bytes, size_t size, const phx_allocator* allocator,
                                    phx_mesh** mesh) {
    return read_ply(name, bytes, size, allocator, true, mesh);
}

// -------------------------------------------------------------------------------------------------------------- writer

static void put(FILE* stream, uint64_t bits, int size) {
    char bytes[8];
    for (int i = 0; i < size; ++i) {
        bytes[i] = (char)(bits >> 8 * i);
    }
    fwrite(bytes, 1, (size_t)size, stream);
}

phx_result phxi_mesh_write_ply(const phx_mesh* mesh, FILE* stream) {
    fprintf(stream,
            "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty double x\nproperty double y\n"
            "property double z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n",
            mesh->vertex_count, mesh->triangle_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        uint64_t bits[3];
        memcpy(bits, &mesh->positions[i], sizeof bits);
        for (int k = 0; k < 3; ++k) {
            put(stream, bits[k], 8);
        }
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        put(stream, 3, 1);
        for (int k = 0; k < 3; ++k) {
            put(stream, (uint64_t)mesh->triangles[3 * (size_t)t + (size_t)k], 4);
        }
    }
    return PHX_OK;
}
