#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* Signal handlers have no user data. */
static volatile sig_atomic_t received;

static void note(int number)
{
    if (received == 0) {
        received = number;
    }
}

static void catch_signal(int number)
{
    struct sigaction old;
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN) {
        return;
    }
    /* SA_RESTART: interrupted writes continue. */
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void ooze_interrupt_install(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

bool ooze_interrupted(void)
{
    return received != 0;
}

const char *ooze_interrupt_name(void)
{
    switch (received) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return "no signal";
    }
}
