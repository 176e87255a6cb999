/* Packets: what the session publishes for the pages. A packet is written once, shared between
   threads, and freed with its last reference. */
#ifndef OOZE_VIEW_PACKET_H
#define OOZE_VIEW_PACKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct OozePacket {
    atomic_int references;
    uint64_t number; /* rises with every packet of a session */
    bool binary;
    size_t size;
    unsigned char *bytes; /* `size` of them */
} OozePacket;

/* With one reference; NULL: out of memory. `bytes` may be NULL: to be filled. */
OozePacket *ooze_packet_create(uint64_t number, bool binary, const void *bytes, size_t size);
OozePacket *ooze_packet_share(OozePacket *packet); /* one more reference; NULL for NULL */
void ooze_packet_release(OozePacket *packet);

#endif
