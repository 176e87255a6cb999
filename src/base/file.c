#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

OozeStatus ooze_fail_file(OozeError *error, OozeStatus status, const char *doing, const char *path,
                          int error_number)
{
    const char *hint = "";
    switch (error_number) {
    case ENOENT:
        hint = "check the path";
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        hint = "check the permissions, or choose another folder";
        break;
    case ENOSPC:
    case EDQUOT:
        hint = "free some disk space; everything written so far is kept and the run can be resumed";
        break;
    default:
        break;
    }
    return ooze_fail(error, status, hint, "cannot %s '%s': %s", doing, path,
                     strerror(error_number));
}

static OozeStatus read_all(int fd, const char *path, size_t size, char **data, OozeError *error)
{
    char *bytes = ooze_alloc(size + 1, 1);
    if (!bytes) {
        return ooze_fail_memory(error, path, size);
    }
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, bytes + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            int number = got < 0 ? errno : EIO;
            ooze_free(bytes);
            return ooze_fail_file(error, OOZE_ERROR_FILE, "read", path, number);
        }
        done += (size_t)got;
    }
    bytes[size] = '\0';
    *data = bytes;
    return OOZE_OK;
}

OozeStatus ooze_file_read(const char *path, uint64_t limit, char **data, size_t *size,
                          OozeError *error)
{
    *data = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return ooze_fail_file(error, OOZE_ERROR_FILE, "open", path, errno);
    }
    struct stat info;
    OozeStatus status = OOZE_OK;
    if (fstat(fd, &info) != 0) {
        status = ooze_fail_file(error, OOZE_ERROR_FILE, "read", path, errno);
    } else if (!S_ISREG(info.st_mode)) {
        status = ooze_fail(error, OOZE_ERROR_FILE, "give the path of a plain file",
                           "'%s' is not a plain file", path);
    } else if ((uint64_t)info.st_size > limit) {
        status = ooze_fail(error, OOZE_ERROR_LIMIT, "is this the file you meant?",
                           "'%s' has %lld bytes; at most %llu are read", path,
                           (long long)info.st_size, (unsigned long long)limit);
    } else {
        status = read_all(fd, path, (size_t)info.st_size, data, error);
        *size = status ? 0 : (size_t)info.st_size;
    }
    close(fd);
    return status;
}

const char *ooze_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static OozeStatus sync_folder_of(const char *path, OozeError *error)
{
    OozeText folder = {0};
    const char *slash = strrchr(path, '/');
    ooze_text_append(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (folder.failed) {
        return ooze_fail_memory(error, "a path", strlen(path));
    }
    int fd = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    OozeStatus status = OOZE_OK;
    /* Some file systems cannot sync a folder (EINVAL); the rename itself is still atomic there. */
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL)) {
        status = ooze_fail_file(error, OOZE_ERROR_WRITE, "sync folder", folder.data, errno);
    }
    if (fd >= 0) {
        close(fd);
    }
    ooze_text_clear(&folder);
    return status;
}

OozeStatus ooze_file_commit(const char *temporary, const char *path, OozeError *error)
{
    int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0) {
        int number = errno;
        if (fd >= 0) {
            close(fd);
        }
        unlink(temporary);
        return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, number);
    }
    close(fd);
    if (rename(temporary, path) != 0) {
        int number = errno;
        unlink(temporary);
        return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, number);
    }
    return sync_folder_of(path, error);
}

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, data, size);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return errno;
        }
        data += put;
        size -= (size_t)put;
    }
    return 0;
}

OozeStatus ooze_file_write_atomic(const char *path, const void *data, size_t size, OozeError *error)
{
    OozeText temporary = {0};
    ooze_text_append(&temporary, "%s.part", path);
    if (temporary.failed) {
        return ooze_fail_memory(error, "a path", strlen(path));
    }
    OozeStatus status = OOZE_OK;
    int fd = open(temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        status = ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, errno);
    } else {
        int number = write_all(fd, data, size);
        if (close(fd) != 0 && number == 0) {
            number = errno;
        }
        if (number != 0) {
            unlink(temporary.data);
            status = ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, number);
        } else {
            status = ooze_file_commit(temporary.data, path, error);
        }
    }
    ooze_text_clear(&temporary);
    return status;
}

OozeStatus ooze_make_folder(const char *path, OozeError *error)
{
    OozeText partial = {0};
    ooze_text_append(&partial, "%s", path);
    if (partial.failed) {
        return ooze_fail_memory(error, "a path", strlen(path));
    }
    OozeStatus status = OOZE_OK;
    for (size_t i = 1; i <= partial.length && !status; i++) {
        char saved = partial.data[i];
        if (saved != '/' && saved != '\0') {
            continue;
        }
        partial.data[i] = '\0';
        struct stat info;
        if (mkdir(partial.data, 0777) != 0 &&
            (errno != EEXIST || stat(partial.data, &info) != 0 || !S_ISDIR(info.st_mode))) {
            int number = errno == EEXIST ? ENOTDIR : errno;
            status = ooze_fail_file(error, OOZE_ERROR_WRITE, "create folder", partial.data, number);
        }
        partial.data[i] = saved;
    }
    ooze_text_clear(&partial);
    return status;
}

bool ooze_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
