/* fontconfig keeps patterns in a cache for the life of the process, by offsets in place of
   pointers: the leak checker takes them for leaks. */
#ifndef OOZE_TESTS_FONTCONFIG_LEAKS_H
#define OOZE_TESTS_FONTCONFIG_LEAKS_H

const char *__lsan_default_suppressions(void);

__attribute__((weak, visibility("default"))) const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

#endif
