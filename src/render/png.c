#include "render/png.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { PICTURE_BYTES_MAX = 1 << 30 };

/* State that must survive the long jumps by which libpng reports errors. */
typedef struct Job {
    OozeText out;
    const unsigned char *in;
    size_t in_size, in_at;
    png_structp png;
    png_infop info;
} Job;

static void jump_on_error(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void write_bytes(png_structp png, png_bytep data, size_t size)
{
    Job *job = png_get_io_ptr(png);
    ooze_text_append_bytes(&job->out, data, size);
    if (job->out.failed) {
        png_error(png, "memory");
    }
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static void read_bytes(png_structp png, png_bytep data, size_t size)
{
    Job *job = png_get_io_ptr(png);
    if (size > job->in_size - job->in_at) {
        png_error(png, "short");
    }
    memcpy(data, job->in + job->in_at, size);
    job->in_at += size;
}

static bool encode(Job *job, const unsigned char *pixels, uint32_t width, uint32_t height,
                   const char *key, const char *text)
{
    if (setjmp(png_jmpbuf(job->png))) {
        return false;
    }
    png_text line = {.compression = PNG_TEXT_COMPRESSION_NONE,
                     .key = (png_charp)(uintptr_t)key,
                     .text = (png_charp)(uintptr_t)text,
                     .text_length = strlen(text)};
    png_set_write_fn(job->png, job, write_bytes, flush_nothing);
    png_set_IHDR(job->png, job->info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(job->png, job->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_level(job->png,
                              3); /* a quarter of the time of the default, a tenth more bytes */
    png_set_text(job->png, job->info, &line, 1);
    png_write_info(job->png, job->info);
    for (uint32_t y = 0; y < height; y++) {
        png_write_row(job->png, pixels + (size_t)y * width * 3);
    }
    png_write_end(job->png, NULL);
    return true;
}

OozeStatus ooze_png_write(const char *path, const unsigned char *pixels, uint32_t width,
                          uint32_t height, const char *key, const char *text, OozeError *error)
{
    Job job = {.in = NULL};
    job.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, jump_on_error, ignore_warning);
    job.info = job.png ? png_create_info_struct(job.png) : NULL;
    bool good = job.info && encode(&job, pixels, width, height, key, text);
    png_destroy_write_struct(&job.png, &job.info);
    OozeStatus status = good ? ooze_file_write_atomic(path, job.out.data, job.out.length, error)
                             : ooze_fail_memory(error, "a PNG file", (uint64_t)width * height * 3);
    ooze_text_clear(&job.out);
    return status;
}

static bool find_text(Job *job, const char *key, const char *text)
{
    if (setjmp(png_jmpbuf(job->png))) {
        return false;
    }
    png_set_read_fn(job->png, job, read_bytes);
    png_read_info(job->png, job->info);
    png_textp lines = NULL;
    int count = 0;
    png_get_text(job->png, job->info, &lines, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(lines[i].key, key) == 0 && strcmp(lines[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

bool ooze_png_has_text(const char *path, const char *key, const char *text)
{
    char *data = NULL;
    size_t size = 0;
    if (!ooze_file_exists(path) || ooze_file_read(path, PICTURE_BYTES_MAX, &data, &size, NULL)) {
        return false;
    }
    Job job = {.in = (const unsigned char *)data, .in_size = size};
    job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, jump_on_error, ignore_warning);
    job.info = job.png ? png_create_info_struct(job.png) : NULL;
    /* A truncated file lacks its last chunk. */
    static const unsigned char end[] = {'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    bool complete = size > sizeof end && memcmp(data + size - sizeof end, end, sizeof end) == 0;
    bool found = complete && job.info && find_text(&job, key, text);
    png_destroy_read_struct(&job.png, &job.info, NULL);
    ooze_free(data);
    return found;
}
