#include "output/frame_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

/* As in PNG, the line breaks detect transfers that convert line breaks. */
static const unsigned char magic[8] = {0x8f, 'O', 'O', 'Z', 'E', '\r', '\n', 0x1a};

enum {
    AT_VERSION = 8,
    AT_HEADER_BYTES = 12,
    AT_LENGTH = 16,
    AT_HASH = 24,
    AT_INDEX = 32,
    AT_STEP = 40,
    AT_TIME = 48,
    AT_PARTICLES = 56,
    AT_LAYOUT = 64,
    AT_NOTE = 128,
    AT_OWN_HASH = 504,
    HASH_CHUNK = 1 << 20 /* part of the format: the hash depends on where the input is split */
};

static void put64(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get64(const unsigned char *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

OozeStatus ooze_fail_damaged(OozeError *error, const char *path, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return ooze_fail(error, OOZE_ERROR_FORMAT, "delete it, and resume from an earlier frame",
                     "'%s' is damaged: %s", path, what);
}

uint64_t ooze_frame_layout(const OozeFrame *frame)
{
    uint64_t hash = OOZE_HASH_START;
    for (int i = 0; i < frame->field_count; i++) {
        const OozeFieldView *field = &frame->fields[i];
        uint32_t shape[2] = {(uint32_t)field->type, (uint32_t)field->components};
        hash = ooze_hash_text(hash, field->name);
        hash = ooze_hash_bytes(hash, shape, sizeof shape);
    }
    return hash;
}

void ooze_frame_header_encode(const OozeFrameHeader *header, unsigned char *bytes)
{
    memset(bytes, 0, OOZE_FRAME_HEADER_BYTES);
    memcpy(bytes, magic, sizeof magic);
    put64(bytes + AT_VERSION, OOZE_FRAME_FORMAT_VERSION | (uint64_t)OOZE_FRAME_HEADER_BYTES << 32);
    put64(bytes + AT_LENGTH, header->length);
    put64(bytes + AT_HASH, header->hash);
    put64(bytes + AT_INDEX, header->index);
    put64(bytes + AT_STEP, header->step);
    uint64_t time;
    memcpy(&time, &header->time, sizeof time);
    put64(bytes + AT_TIME, time);
    put64(bytes + AT_PARTICLES, header->particle_count);
    put64(bytes + AT_LAYOUT, header->layout);
    snprintf((char *)bytes + AT_NOTE, AT_OWN_HASH - AT_NOTE,
             "\nOoze frame. HDF5 begins at byte %d.\n", OOZE_FRAME_HEADER_BYTES);
    put64(bytes + AT_OWN_HASH, ooze_hash_bytes(OOZE_HASH_START, bytes, AT_OWN_HASH));
}

/* Bytes read, short only at the end of the file; -1 with errno. */
static ssize_t read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, (char *)buffer + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        done += (size_t)got;
    }
    return (ssize_t)done;
}

OozeStatus ooze_frame_header_read(int fd, const char *path, OozeFrameHeader *header,
                                  OozeError *error)
{
    unsigned char bytes[OOZE_FRAME_HEADER_BYTES];
    struct stat info;
    ssize_t got = fstat(fd, &info) != 0 ? -1 : read_at(fd, bytes, sizeof bytes, 0);
    if (got < 0) {
        return ooze_fail_file(error, OOZE_ERROR_FILE, "read", path, errno);
    }
    if ((size_t)got < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
        return ooze_fail(error, OOZE_ERROR_FORMAT,
                         "give a frame of a run, such as RUN/frames/frame_000000.h5",
                         "'%s' is not an Ooze frame file, or its beginning is damaged", path);
    }
    if ((size_t)got < sizeof bytes) {
        return ooze_fail_damaged(error, path, "it ends after %zd bytes", got);
    }
    uint64_t version = get64(bytes + AT_VERSION) & 0xffffffffu;
    if (get64(bytes + AT_OWN_HASH) != ooze_hash_bytes(OOZE_HASH_START, bytes, AT_OWN_HASH)) {
        return ooze_fail_damaged(error, path, "its first %d bytes changed after writing",
                                 OOZE_FRAME_HEADER_BYTES);
    }
    if (version != OOZE_FRAME_FORMAT_VERSION ||
        get64(bytes + AT_VERSION) >> 32 != OOZE_FRAME_HEADER_BYTES) {
        return ooze_fail(error, OOZE_ERROR_FORMAT, "use the version of ooze that wrote it",
                         "'%s' has frame format %llu; this ooze reads format %d", path,
                         (unsigned long long)version, OOZE_FRAME_FORMAT_VERSION);
    }
    uint64_t time = get64(bytes + AT_TIME);
    *header = (OozeFrameHeader){
        .length = get64(bytes + AT_LENGTH),
        .hash = get64(bytes + AT_HASH),
        .index = get64(bytes + AT_INDEX),
        .step = get64(bytes + AT_STEP),
        .particle_count = get64(bytes + AT_PARTICLES),
        .layout = get64(bytes + AT_LAYOUT),
    };
    memcpy(&header->time, &time, sizeof time);
    if ((uint64_t)info.st_size != header->length || header->length < OOZE_FRAME_HEADER_BYTES) {
        return ooze_fail_damaged(error, path, "it has %lld bytes and should have %llu",
                                 (long long)info.st_size, (unsigned long long)header->length);
    }
    return OOZE_OK;
}

OozeStatus ooze_frame_open_descriptor(const char *path, int *fd, OozeError *error)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) {
        return ooze_fail_file(error, OOZE_ERROR_FILE, "open", path, errno);
    }
    struct stat info;
    OozeStatus status = OOZE_OK;
    if (fstat(*fd, &info) != 0) {
        status = ooze_fail_file(error, OOZE_ERROR_FILE, "read", path, errno);
    } else if (!S_ISREG(info.st_mode)) {
        status = ooze_fail(error, OOZE_ERROR_FILE, "give the path of a plain file",
                           "'%s' is not a plain file", path);
    }
    if (status) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

OozeStatus ooze_frame_header_load(const char *path, OozeFrameHeader *header, OozeError *error)
{
    int fd;
    OozeStatus status = ooze_frame_open_descriptor(path, &fd, error);
    if (!status) {
        status = ooze_frame_header_read(fd, path, header, error);
        close(fd);
    }
    return status;
}

int ooze_frame_checksum(int fd, uint64_t length, uint64_t *hash)
{
    unsigned char *chunk = ooze_alloc(HASH_CHUNK, 1);
    *hash = OOZE_HASH_START;
    int number = chunk ? 0 : ENOMEM;
    for (uint64_t at = OOZE_FRAME_HEADER_BYTES; at < length && !number;) {
        size_t want = length - at < HASH_CHUNK ? (size_t)(length - at) : HASH_CHUNK;
        ssize_t got = read_at(fd, chunk, want, at);
        if (got < 0) {
            number = errno;
        } else {
            *hash = ooze_hash_bytes(*hash, chunk, (size_t)got);
            at += want; /* a file that has become shorter gives another hash */
        }
    }
    ooze_free(chunk);
    return number;
}
