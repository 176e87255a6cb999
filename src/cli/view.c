/* ooze view: a scene or a run in a browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/report.h"
#include "view/serve.h"

typedef struct Announcement {
    bool opens;         /* a browser */
    const char *listen; /* NULL: this machine only */
} Announcement;

/* Starts the desktop's browser, if there is a desktop, and does not wait for it. */
static void open_browser(const char *address)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) { /* its parent ends at once: no zombie is left */
            setsid();
            if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)) {
                execlp("xdg-open", "xdg-open", address, (char *)NULL);
            }
        }
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

static void announce(void *user, const char *address, const char *missing)
{
    const Announcement *announcement = user;
    if (missing[0]) {
        ooze_report_warning("this build has no page to show: %s; build again where npm works",
                            missing);
    }
    if (announcement->listen) {
        printf("The page can be reached from other machines, and changes the simulation. Whoever "
               "opens it needs the token behind the # of the address:\n");
    }
    printf("%s\n", address);
    printf("Press Ctrl+C to end.\n");
    fflush(stdout);
    if (announcement->opens && !missing[0]) {
        open_browser(address);
    }
}

static int run(const OozeArguments *arguments)
{
    Announcement announcement = {.opens = !ooze_argument_given(arguments, "no-browser"),
                                 .listen = ooze_argument_text(arguments, "listen")};
    OozeServeOptions options = {
        .view = {.path = arguments->operands[0],
                 .paused = ooze_argument_given(arguments, "paused")},
        .listen = announcement.listen,
        .embedded = ooze_argument_given(arguments, "embed"),
        .token = getenv("OOZE_VIEW_TOKEN"),
        .ready = announce,
        .stopped = ooze_interrupted,
        .user = &announcement,
    };
    uint64_t threads = 0, port = 0;
    const char **overrides = NULL;
    if (!ooze_argument_integer(arguments, "threads", 0, 1024, &threads) ||
        !ooze_argument_integer(arguments, "port", 0, 65535, &port) ||
        !ooze_argument_device(arguments, &options.view.build.device) ||
        !ooze_argument_overrides(arguments, &overrides, &options.view.override_count)) {
        return OOZE_EXIT_USAGE;
    }
    options.view.overrides = overrides;
    options.view.build.threads = (int)threads;
    options.port = (int)port;
    ooze_interrupt_install();
    OozeError error = {0};
    OozeStatus status = ooze_serve(&options, &error);
    ooze_free(overrides);
    return status ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

static const OozeOperand operands[] = {
    {"SCENE", "a scene file, or the folder of a finished run", false}};

static const OozeOption options[] = {
    {"set", 0, "KEY=VALUE", true, "override a value of the scene; may be repeated"},
    {"paused", 0, NULL, false, "wait for the play button"},
    {"port", 0, "N", false, "port of the page; by default a free one"},
    {"listen", 0, "NAME", false,
     "reachable from other machines under this name or address of this machine; by default from "
     "this machine only"},
    {"no-browser", 0, NULL, false, "print the address only"},
    {"embed", 0, NULL, false,
     "other pages of this machine, such as notebooks, may show the page in a frame"},
    {"threads", 0, "N", false, "threads of the simulation; 0: one per core"},
    OOZE_OPTION_DEVICE,
};

const OozeCommand ooze_command_view = {
    .name = "view",
    .synopsis = "SCENE|RUN [--set KEY=VALUE] [--port N] [--listen NAME]",
    .summary = "Simulate a scene in the browser and change it while it runs, or play a run",
    .details =
        "Prints the address of a page, opens the browser where there is a desktop, and serves the "
        "page until Ctrl+C. The address holds a random token, without which the page shows "
        "nothing; the environment variable OOZE_VIEW_TOKEN (32 hexadecimal digits) sets it. See "
        "docs/view.md.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
