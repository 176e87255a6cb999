#include "base/system_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CGROUPS "/sys/fs/cgroup"

/* The first number of a file; INFINITY: there is none, or it is "max". */
static double read_number(const char *path)
{
    FILE *file = fopen(path, "r");
    double value = INFINITY;
    if (file) {
        if (fscanf(file, "%lf", &value) != 1) {
            value = INFINITY;
        }
        fclose(file);
    }
    return value;
}

/* The number after `key` at the beginning of a line; `missing` where there is none. */
static double read_row(const char *path, const char *key, double missing)
{
    FILE *file = fopen(path, "r");
    char line[256];
    double value = missing;
    size_t length = strlen(key);
    while (file && fgets(line, sizeof line, file)) {
        double number;
        if (strncmp(line, key, length) == 0 && sscanf(line + length, " %lf", &number) == 1) {
            value = number;
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return value;
}

/* Limit of a group less what it uses; pages of files are given back under pressure. */
static double group_rest(const char *group, const char *limit, const char *usage)
{
    char path[4096 + 64];
    snprintf(path, sizeof path, "%s/%s", group, limit);
    double max = read_number(path);
    if (!(max < 1e18)) { /* version 1 writes "no limit" as a number near 2^63 */
        return INFINITY;
    }
    snprintf(path, sizeof path, "%s/%s", group, usage);
    double used = read_number(path);
    snprintf(path, sizeof path, "%s/memory.stat", group);
    double cached = read_row(path, "inactive_file", 0.0);
    return isfinite(used) ? fmax(max - fmax(used - cached, 0.0), 0.0) : max;
}

/* The least rest of a group and of the groups that contain it; `group` is cut to its parents. */
static double rest_up_to_root(char *group, size_t root, const char *limit, const char *usage)
{
    double rest = INFINITY;
    for (;;) {
        rest = fmin(rest, group_rest(group, limit, usage));
        char *slash = strrchr(group + root, '/');
        if (!slash) {
            return rest;
        }
        *slash = '\0';
    }
}

/* The groups of this process, of version 2 ("0::/path") and version 1 ("9:memory:/path"). */
static double control_group_rest(void)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[4096], group[4096 + 64];
    double rest = INFINITY;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *memory = strstr(line, ":memory:");
        if (strncmp(line, "0::", 3) == 0) {
            snprintf(group, sizeof group, CGROUPS "%s", line + 3);
            rest =
                fmin(rest, rest_up_to_root(group, strlen(CGROUPS), "memory.max", "memory.current"));
        } else if (memory) {
            snprintf(group, sizeof group, CGROUPS "/memory%s", memory + strlen(":memory:"));
            rest = fmin(rest, rest_up_to_root(group, strlen(CGROUPS "/memory"),
                                              "memory.limit_in_bytes", "memory.usage_in_bytes"));
        }
    }
    if (file) {
        fclose(file);
    }
    return rest;
}

static double address_space_rest(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return INFINITY;
    }
    double pages = read_number("/proc/self/statm"); /* size of the address space */
    double used = isfinite(pages) ? pages * (double)sysconf(_SC_PAGESIZE) : 0.0;
    return fmax((double)limit.rlim_cur - used, 0.0);
}

double ooze_available_memory(void)
{
    double bytes = 1024.0 * read_row("/proc/meminfo", "MemAvailable:", INFINITY);
    return fmin(bytes, fmin(control_group_rest(), address_space_rest()));
}
