#include "ode/guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#include <ode/ode.h>

#include "base/fail.h"

enum { TEXT_BYTES = 160 };

typedef struct Guard {
    jmp_buf back;
    char text[TEXT_BYTES];
    int warnings;
} Guard;

/* ODE's handlers have no user data: the guard of the calling thread. */
static _Thread_local Guard *current;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Must not return: ODE would exit. */
static void handle_error(int number, const char *message, va_list list)
{
    (void)number;
    if (current) {
        vsnprintf(current->text, sizeof current->text, message, list);
        longjmp(current->back, 1);
    }
}

static void count_warning(int number, const char *message, va_list list)
{
    (void)number;
    (void)message;
    (void)list;
    if (current) {
        current->warnings++;
    }
}

static void open_once(void)
{
    (void)dInitODE2(0);
    dSetErrorHandler(handle_error);
    dSetDebugHandler(handle_error);
    dSetMessageHandler(count_warning);
}

void ooze_ode_init(void)
{
    (void)pthread_once(&once, open_once);
}

OozeStatus ooze_ode_guarded(void (*work)(void *data), void *data, int *warnings, OozeError *error)
{
    Guard guard = {.warnings = 0};
    current = &guard;
    if (setjmp(guard.back)) {
        current = NULL;
        return ooze_fail(error, OOZE_ERROR_NUMERIC,
                         "look for solids that start far inside each other, or of absurd density",
                         "ODE could not solve contacts and joints: %s", guard.text);
    }
    work(data);
    current = NULL;
    *warnings = guard.warnings;
    return OOZE_OK;
}
