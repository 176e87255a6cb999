#include "output/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { BUFFER_BYTES = 1 << 18 };

OozeStatus ooze_writer_open(OozeWriter *writer, const char *path, OozeError *error)
{
    OozeText temporary = {0};
    ooze_text_append(&temporary, "%s.part", path);
    *writer = (OozeWriter){.fd = -1,
                           .path = ooze_copy_text(path),
                           .temporary = temporary.data,
                           .buffer = ooze_alloc(BUFFER_BYTES, 1)};
    OozeStatus status = OOZE_OK;
    if (temporary.failed || !writer->path || !writer->buffer) {
        status = ooze_fail_memory(error, "writing a file", BUFFER_BYTES);
    } else {
        writer->fd = open(writer->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (writer->fd < 0) {
            status = ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, errno);
        }
    }
    if (status) {
        ooze_writer_cancel(writer);
    }
    return status;
}

static void flush(OozeWriter *writer)
{
    const char *from = writer->buffer;
    while (writer->used > 0 && !writer->error_number) {
        ssize_t put = write(writer->fd, from, writer->used);
        if (put >= 0) {
            from += put;
            writer->used -= (size_t)put;
        } else if (errno != EINTR) {
            writer->error_number = errno;
        }
    }
    writer->used = 0;
}

char *ooze_writer_reserve(OozeWriter *writer, size_t size)
{
    if (BUFFER_BYTES - writer->used < size) {
        flush(writer);
    }
    return writer->buffer + writer->used;
}

void ooze_writer_advance(OozeWriter *writer, size_t size)
{
    writer->used += size;
}

void ooze_writer_put(OozeWriter *writer, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        size_t piece = size < OOZE_WRITER_RESERVE_MAX ? size : OOZE_WRITER_RESERVE_MAX;
        memcpy(ooze_writer_reserve(writer, piece), from, piece);
        ooze_writer_advance(writer, piece);
        from += piece;
        size -= piece;
    }
}

void ooze_writer_print(OozeWriter *writer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    char *space = ooze_writer_reserve(writer, OOZE_WRITER_RESERVE_MAX);
    int length = vsnprintf(space, OOZE_WRITER_RESERVE_MAX, format, arguments);
    va_end(arguments);
    if (length >= 0 && length < OOZE_WRITER_RESERVE_MAX) {
        ooze_writer_advance(writer, (size_t)length);
    } else if (length >= OOZE_WRITER_RESERVE_MAX) { /* only a long name is longer */
        char *text = ooze_alloc((size_t)length + 1, 1);
        if (text) {
            vsnprintf(text, (size_t)length + 1, format, again);
            ooze_writer_put(writer, text, (size_t)length);
        } else if (!writer->error_number) {
            writer->error_number = ENOMEM;
        }
        ooze_free(text);
    }
    va_end(again);
}

void ooze_writer_print_xml(OozeWriter *writer, const char *text)
{
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '&':
            ooze_writer_put(writer, "&amp;", 5);
            break;
        case '<':
            ooze_writer_put(writer, "&lt;", 4);
            break;
        case '>':
            ooze_writer_put(writer, "&gt;", 4);
            break;
        case '"':
            ooze_writer_put(writer, "&quot;", 6);
            break;
        default:
            ooze_writer_put(writer, (unsigned char)*c < 0x20 ? "?" : c, 1);
            break;
        }
    }
}

void ooze_writer_cancel(OozeWriter *writer)
{
    if (writer->fd >= 0) {
        close(writer->fd);
        unlink(writer->temporary);
    }
    ooze_free(writer->buffer);
    ooze_free(writer->temporary);
    ooze_free(writer->path);
    *writer = (OozeWriter){.fd = -1};
}

OozeStatus ooze_writer_commit(OozeWriter *writer, OozeError *error)
{
    flush(writer);
    int number = writer->error_number;
    if (close(writer->fd) != 0 && !number) {
        number = errno;
    }
    writer->fd = -1;
    OozeStatus status = OOZE_OK;
    if (number) {
        unlink(writer->temporary);
        status = number == ENOMEM
                     ? ooze_fail_memory(error, writer->path, 0)
                     : ooze_fail_file(error, OOZE_ERROR_WRITE, "write", writer->path, number);
    } else {
        status = ooze_file_commit(writer->temporary, writer->path, error);
    }
    ooze_writer_cancel(writer);
    return status;
}
