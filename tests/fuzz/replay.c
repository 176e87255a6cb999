/* Replaces libFuzzer in builds without it: runs the target on every file of the given corpus
   folders, complete and truncated at 1,000 places in total. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    unsigned char *data = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long length = ftell(file);
        rewind(file);
        data = malloc((size_t)length + 1);
        *size = data ? fread(data, 1, (size_t)length, file) : 0;
    }
    fclose(file);
    return data;
}

static int replay(const char *path)
{
    size_t size = 0;
    unsigned char *data = read_file(path, &size);
    if (!data) {
        return 0;
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static void replay_cuts(const char *path, int cuts)
{
    size_t size = 0;
    unsigned char *data = read_file(path, &size);
    for (int i = 0; data && i < cuts; i++) {
        size_t length = (size_t)((double)size * (i + 0.5) / cuts);
        unsigned char *cut = malloc(length + 1); /* its own block, so that overreads are seen */
        if (cut) {
            memcpy(cut, data, length);
            LLVMFuzzerTestOneInput(cut, length);
            free(cut);
        }
    }
    free(data);
}

int main(int argc, char **argv)
{
    enum { CUTS = 1000 };
    int files = 0;
    for (int pass = 0; pass < 2; pass++) {
        int total = files;
        for (int i = 1; i < argc; i++) {
            DIR *folder = opendir(argv[i]);
            if (!folder) {
                fprintf(stderr, "cannot open corpus folder %s\n", argv[i]);
                return 1;
            }
            for (struct dirent *entry; (entry = readdir(folder));) {
                char path[4096];
                snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
                if (entry->d_name[0] == '.') {
                    continue;
                }
                if (pass == 0) {
                    files += replay(path);
                } else {
                    replay_cuts(path, (CUTS + total - 1) / total);
                }
            }
            closedir(folder);
        }
        if (files == 0) {
            fprintf(stderr, "the corpus is empty\n");
            return 1;
        }
    }
    printf("%d inputs replayed, each whole and cut short, %d cuts or more in all\n", files, CUTS);
    return 0;
}
