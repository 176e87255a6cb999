#include "view/packet.h"

#include <string.h>

#include "base/memory.h"

OozePacket *ooze_packet_create(uint64_t number, bool binary, const void *bytes, size_t size)
{
    OozePacket *packet = ooze_alloc_zero(1, sizeof *packet);
    unsigned char *room = packet ? ooze_alloc(size, 1) : NULL;
    if (!room) {
        ooze_free(packet);
        return NULL;
    }
    atomic_init(&packet->references, 1);
    packet->number = number;
    packet->binary = binary;
    packet->size = size;
    packet->bytes = room;
    if (bytes) {
        memcpy(packet->bytes, bytes, size);
    }
    return packet;
}

OozePacket *ooze_packet_share(OozePacket *packet)
{
    if (packet) {
        atomic_fetch_add(&packet->references, 1);
    }
    return packet;
}

void ooze_packet_release(OozePacket *packet)
{
    if (packet && atomic_fetch_sub(&packet->references, 1) == 1) {
        ooze_free(packet->bytes);
        ooze_free(packet);
    }
}
