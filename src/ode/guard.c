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
    int doubts;
} Guard;

/* ODE's handlers are told nothing about whose work it is: that of the thread that they are called
   in. */
static _Thread_local Guard *present;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ODE ends the program when this returns. */
static void give_up(int number, const char *message, va_list list)
{
    (void)number;
    if (present) {
        vsnprintf(present->text, sizeof present->text, message, list);
        longjmp(present->back, 1);
    }
}

static void doubt(int number, const char *message, va_list list)
{
    (void)number;
    (void)message;
    (void)list;
    if (present) {
        present->doubts++;
    }
}

static void open_once(void)
{
    (void)dInitODE2(0);
    dSetErrorHandler(give_up);
    dSetDebugHandler(give_up);
    dSetMessageHandler(doubt);
}

void ooze_ode_open(void)
{
    (void)pthread_once(&once, open_once);
}

OozeStatus ooze_ode_guarded(void (*work)(void *data), void *data, int *doubts, OozeError *error)
{
    Guard guard = {.doubts = 0};
    present = &guard;
    if (setjmp(guard.back)) {
        present = NULL;
        return ooze_fail(error, OOZE_ERROR_NUMERIC,
                         "look for solids that start far inside each other, or of absurd density",
                         "ODE could not solve contacts and joints: %s", guard.text);
    }
    work(data);
    present = NULL;
    *doubts = guard.doubts;
    return OOZE_OK;
}
