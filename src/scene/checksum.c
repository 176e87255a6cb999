/* Checksums of the files that a scene names: a run cannot be resumed with a changed mesh. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "scene/scene.h"

/* Reads a full block, or up to the end of the file: the hash depends on the block boundaries. */
static ssize_t read_block(int fd, char *block, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, block + done, size - done);
        if (got <= 0) {
            return got < 0 ? got : (ssize_t)done;
        }
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static bool hash_file(const char *path, uint64_t *hash)
{
    enum { BLOCK = 1 << 14 };
    char block[BLOCK];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) { /* a device may never end */
        close(fd);
        return false;
    }
    *hash = OOZE_HASH_START;
    ssize_t got;
    while ((got = read_block(fd, block, BLOCK)) > 0) {
        *hash = ooze_hash_bytes(*hash, block, (size_t)got);
    }
    close(fd);
    return got == 0;
}

bool ooze_section_checksum(const OozeSection *section, const void *item,
                           char text[OOZE_CHECKSUM_MAX])
{
    OozeKey row;
    for (int i = 0; ooze_section_key(section, -1, i, &row); i++) {
        if (row.type == OOZE_KEY_FILE) {
            const char *path;
            uint64_t hash;
            memcpy(&path, (const char *)item + row.offset, sizeof path);
            if (!path || !hash_file(path, &hash)) {
                return false;
            }
            snprintf(text, OOZE_CHECKSUM_MAX, "%016llx", (unsigned long long)hash);
            return true;
        }
    }
    return false;
}
