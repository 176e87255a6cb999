/* Log lines of a world. */
#include <stdarg.h>
#include <stdio.h>

#include "world/world.h"

void ooze_world_log(const OozeWorld *world, OozeLogLevel level, const char *format, ...)
{
    enum { LINE_BYTES = 512 };
    char line[LINE_BYTES];
    if (!world->def.log) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    world->def.log(world->def.log_user, level, line);
}
