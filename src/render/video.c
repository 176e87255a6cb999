#include "render/video.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

extern char **environ;

enum { PICTURE_BYTES_MAX = 1 << 30, MESSAGE_BYTES = 512 };

/* The running ffmpeg: pictures are written to `in`, its messages go to a temporary file. */
typedef struct Encoder {
    pid_t pid;
    int in;
    FILE *messages;
} Encoder;

static int spawn(Encoder *encoder, int end, const char *temporary, double rate)
{
    char rate_text[32];
    snprintf(rate_text, sizeof rate_text, "%.6f", rate);
    /* 4:2:0 needs even sides: odd ones are padded by a black row or column. */
    const char *command[] = {
        "ffmpeg",     "-hide_banner", "-loglevel",
        "error",      "-y",           "-f",
        "image2pipe", "-framerate",   rate_text,
        "-c:v",       "png",          "-i",
        "-",          "-vf",          "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p",
        "-c:v",       "libx264",      "-crf",
        "18",         "-movflags",    "+faststart",
        "-f",         "mp4",          temporary,
        NULL};
    char *arguments[sizeof command / sizeof command[0]];
    memcpy(arguments, command, sizeof command);
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return ENOMEM;
    }
    int failure = posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
    failure = failure ? failure
                      : posix_spawn_file_actions_adddup2(&actions, fileno(encoder->messages),
                                                         STDERR_FILENO);
    failure = failure ? failure
                      : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                                         O_WRONLY, 0);
    failure = failure ? failure
                      : posix_spawnp(&encoder->pid, "ffmpeg", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static OozeStatus start(Encoder *encoder, const char *temporary, double rate, OozeError *error)
{
    *encoder = (Encoder){.pid = -1, .in = -1, .messages = tmpfile()};
    int ends[2] = {-1, -1};
    /* A socket instead of a pipe: writing after ffmpeg has ended gives an error and no signal. */
    if (!encoder->messages || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", temporary, errno);
    }
    encoder->in = ends[0];
    int failure = spawn(encoder, ends[1], temporary, rate);
    close(ends[1]);
    if (failure == ENOENT) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "install ffmpeg and give the same command again; the pictures are done",
                         "the program ffmpeg, which makes the video, is not found");
    }
    return failure ? ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "the pictures are done",
                               "the program ffmpeg does not start: %s", strerror(failure))
                   : OOZE_OK;
}

/* False where ffmpeg has ended. */
static bool send_all(int socket, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        data += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static OozeStatus send_pictures(Encoder *encoder, const char *const *pictures, uint64_t count,
                                OozeError *error)
{
    for (uint64_t i = 0; i < count; i++) {
        char *data = NULL;
        size_t size = 0;
        OozeStatus status = ooze_file_read(pictures[i], PICTURE_BYTES_MAX, &data, &size, error);
        bool taken = !status && send_all(encoder->in, data, size);
        ooze_free(data);
        if (status || !taken) {
            return status; /* the reason follows from its exit status and messages */
        }
    }
    return OOZE_OK;
}

/* The last line that ffmpeg wrote. */
static void read_message(FILE *file, char text[MESSAGE_BYTES])
{
    text[0] = '\0';
    char line[MESSAGE_BYTES];
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0]) {
            memcpy(text, line, sizeof line);
        }
    }
}

static OozeStatus finish(Encoder *encoder, const char *path, OozeError *error)
{
    int state = 0;
    close(encoder->in);
    encoder->in = -1;
    while (waitpid(encoder->pid, &state, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) {
        return OOZE_OK;
    }
    char message[MESSAGE_BYTES];
    read_message(encoder->messages, message);
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "install ffmpeg and give the same command again; the pictures are done",
                         "the program ffmpeg, which makes the video, is not found");
    }
    return ooze_fail(error, OOZE_ERROR_WRITE, "the pictures are done",
                     "ffmpeg failed to make '%s': %s", path, message[0] ? message : "no message");
}

OozeStatus ooze_video_write(const char *path, const char *const *pictures, uint64_t count,
                            double rate, OozeError *error)
{
    OozeText temporary = {0};
    ooze_text_append(&temporary, "%s.part", path);
    if (temporary.failed) {
        return ooze_fail_memory(error, "a path", 0);
    }
    Encoder encoder;
    OozeStatus status = start(&encoder, temporary.data, rate, error);
    if (!status) {
        status = send_pictures(&encoder, pictures, count, error);
        OozeError other = {0};
        OozeStatus end = finish(&encoder, path, status ? &other : error);
        status = status ? status : end;
    }
    if (encoder.in >= 0) {
        close(encoder.in);
    }
    if (encoder.messages) {
        fclose(encoder.messages);
    }
    if (status) {
        unlink(temporary.data);
    } else {
        status = ooze_file_commit(temporary.data, path, error);
    }
    ooze_text_clear(&temporary);
    return status;
}
