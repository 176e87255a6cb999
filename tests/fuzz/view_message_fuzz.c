/* Fuzz target of the messages of `ooze view`: any bytes are a message with finite numbers and words
   that end, or none. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OozeViewMessage message;
    if (!ooze_view_message_parse((const char *)data, size, &message)) {
        return 0;
    }
    if ((unsigned)message.verb >= OOZE_VIEW_VERB_COUNT || message.number_count < 0 ||
        message.number_count > OOZE_VIEW_NUMBERS_MAX ||
        !memchr(message.word, 0, sizeof message.word) ||
        !memchr(message.value, 0, sizeof message.value)) {
        abort();
    }
    for (int i = 0; i < message.number_count; i++) {
        if (!isfinite(message.numbers[i])) {
            abort();
        }
    }
    return 0;
}
