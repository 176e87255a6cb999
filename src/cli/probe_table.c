#include "cli/probe_table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum { LONG_BYTES = 1 << 16 };

/* RFC 4180: a field with a comma, a quote or a line break is quoted. */
static void append_quoted(OozeText *text, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        ooze_text_append(text, "%s", field);
        return;
    }
    ooze_text_append(text, "\"");
    for (const char *c = field; *c; c++) {
        ooze_text_append(text, "%s%c", *c == '"' ? "\"" : "", *c);
    }
    ooze_text_append(text, "\"");
}

static void append_name(OozeText *text, const char *name, const char *unit)
{
    OozeText full = {0};
    ooze_text_append(&full, "%s", name);
    if (unit && unit[0]) {
        ooze_text_append(&full, " [%s]", unit);
    }
    text->failed |= full.failed;
    ooze_text_append(text, ",");
    append_quoted(text, full.failed ? "" : full.data);
    ooze_text_clear(&full);
}

static OozeStatus make_header(OozeText *header, const OozeWorld *world, bool every_step,
                              OozeError *error)
{
    ooze_text_append(header,
                     every_step ? "step,time [s],particles" : "frame,step,time [s],particles");
    for (int i = 0; i < ooze_world_probe_count(world); i++) {
        OozeProbeReading reading;
        OozeStatus status = ooze_world_probe(world, (OozeProbeId){i}, &reading, error);
        if (status) {
            return status;
        }
        for (int k = 0; k < reading.column_count && (reading.every_step || !every_step); k++) {
            append_name(header, reading.columns[k], reading.units[k]);
        }
    }
    ooze_text_append(header, "\n");
    return header->failed ? ooze_fail_memory(error, "the probe table", 0) : OOZE_OK;
}

static OozeStatus open_table(OozeProbeTable *table, const char *path, bool every_step,
                             OozeError *error)
{
    *table = (OozeProbeTable){.fd = -1, .every_step = every_step};
    table->path = ooze_copy_text(path);
    if (!table->path) {
        return ooze_fail_memory(error, "the probe table", 0);
    }
    table->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (table->fd < 0) {
        return ooze_fail_file(error, OOZE_ERROR_WRITE, "open", path, errno);
    }
    return OOZE_OK;
}

OozeStatus ooze_probe_table_create(OozeProbeTable *table, const OozeProbeTableDef *def,
                                   OozeError *error)
{
    *table = (OozeProbeTable){.fd = -1};
    OozeText header = {0};
    OozeStatus status = make_header(&header, def->world, def->every_step, error);
    if (!status) {
        status = ooze_file_write_atomic(def->path, header.data, header.length, error);
    }
    ooze_text_clear(&header);
    return status ? status : open_table(table, def->path, def->every_step, error);
}

/* Length of the file up to the end of the last complete row not after `step`; `*last` is the step
   of that row, `*any` whether there is one. */
static off_t find_cut(FILE *file, bool every_step, uint64_t step, uint64_t *last, bool *any)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = getline(&line, &capacity, file);
    off_t cut = length > 0 ? (off_t)length : 0;
    *any = false;
    while ((length = getline(&line, &capacity, file)) > 0 && line[length - 1] == '\n') {
        const char *digits = every_step ? line : strchr(line, ',');
        digits += digits && !every_step;
        char *end = NULL;
        unsigned long long row = digits ? strtoull(digits, &end, 10) : 0;
        if (!end || *end != ',' || row > step) {
            break;
        }
        *last = row;
        *any = true;
        cut += (off_t)length;
    }
    free(line);
    return cut;
}

static OozeStatus check_header(FILE *file, const char *path, const OozeText *header,
                               OozeError *error)
{
    char *line = NULL;
    size_t capacity = 0;
    bool equal = getline(&line, &capacity, file) > 0 && strcmp(line, header->data) == 0;
    free(line);
    rewind(file);
    return equal ? OOZE_OK
                 : ooze_fail(error, OOZE_ERROR_FORMAT,
                             "move it out of the run folder; a new one will be started",
                             "'%s' does not have the columns of this scene's probes", path);
}

OozeStatus ooze_probe_table_resume(OozeProbeTable *table, const OozeProbeTableDef *def,
                                   uint64_t step, uint64_t expected, bool *complete,
                                   OozeError *error)
{
    const char *path = def->path;
    *complete = false;
    if (!ooze_file_exists(path)) {
        return ooze_probe_table_create(table, def, error);
    }
    OozeStatus status = open_table(table, path, def->every_step, error);
    if (status) {
        return status;
    }
    FILE *file = fopen(path, "re");
    if (!file) {
        return ooze_fail_file(error, OOZE_ERROR_FILE, "open", path, errno);
    }
    OozeText header = {0};
    status = make_header(&header, def->world, def->every_step, error);
    status = status ? status : check_header(file, path, &header, error);
    ooze_text_clear(&header);
    if (!status) {
        uint64_t last = 0;
        bool any = false;
        off_t cut = find_cut(file, def->every_step, step, &last, &any);
        *complete = any && last == expected;
        struct stat info;
        if (fstat(table->fd, &info) != 0 ||
            (info.st_size != cut && ftruncate(table->fd, cut) != 0)) {
            status = ooze_fail_file(error, OOZE_ERROR_WRITE, "shorten", path, errno);
        }
    }
    fclose(file);
    return status;
}

void ooze_probe_table_close(OozeProbeTable *table)
{
    if (table->path) { /* an unused table is all zero: its fd 0 is standard input */
        if (table->fd >= 0) {
            close(table->fd);
        }
        ooze_free(table->path);
        ooze_text_clear(&table->pending);
    }
    *table = (OozeProbeTable){.fd = -1};
}

OozeStatus ooze_probe_table_append(OozeProbeTable *table, const OozeWorld *world,
                                   const OozeFrame *frame, OozeError *error)
{
    OozeText *row = &table->pending;
    if (!table->every_step) {
        ooze_text_append(row, "%llu,", (unsigned long long)frame->index);
    }
    ooze_text_append(row, "%llu,%.17g,%llu", (unsigned long long)frame->step, frame->time,
                     (unsigned long long)frame->particle_count);
    for (int i = 0; i < ooze_world_probe_count(world); i++) {
        OozeProbeReading reading;
        OozeStatus status = ooze_world_probe(world, (OozeProbeId){i}, &reading, error);
        if (status) {
            return status;
        }
        for (int k = 0; k < reading.column_count && (reading.every_step || !table->every_step);
             k++) {
            double value = reading.values[k];
            /* printf writes "-nan" where the sign bit is set; it differs between processors. */
            if (isnan(value)) {
                ooze_text_append(row, ",nan");
            } else {
                ooze_text_append(row, ",%.17g", value);
            }
        }
    }
    ooze_text_append(row, "\n");
    if (row->failed) {
        return ooze_fail_memory(error, "a row of the probe table", row->length);
    }
    return OOZE_OK;
}

bool ooze_probe_table_is_long(const OozeProbeTable *table)
{
    return table->pending.length >= LONG_BYTES;
}

void ooze_probe_table_submit_copy(OozeProbeTable *table, OozeText *rows)
{
    OozeText empty = *rows;
    *rows = table->pending;
    table->pending = empty;
    table->pending.length = 0;
}

OozeStatus ooze_probe_table_write(const OozeProbeTable *table, const OozeText *rows, bool sync,
                                  OozeError *error)
{
    const char *data = rows->data;
    size_t left = rows->length;
    while (left > 0) {
        ssize_t put = write(table->fd, data, left);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", table->path, errno);
        }
        data += put;
        left -= (size_t)put;
    }
    if (sync && fdatasync(table->fd) != 0) {
        return ooze_fail_file(error, OOZE_ERROR_WRITE, "sync", table->path, errno);
    }
    return OOZE_OK;
}
