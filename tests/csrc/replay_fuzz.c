/* replay_fuzz JOURNAL SEED COUNT: replays COUNT mutations of a journal's beginning and prints
 * how many came out the same, different and bad. Most are sealed with the right CRCs again, so
 * that they reach what lies behind them. A sanitizer judges; nothing else is asserted.
 *
 * With -fsanitize=fuzzer -DKW_LIBFUZZER it is a target for libFuzzer instead.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc.h"
#include "kw_world.h"
#include "replay/replay.h"

enum { SIZE_MAX_BYTES = 1 << 20, ASKS_KEPT = 3, PLACES_MAX = 4096 };

static kw_crc crc;

static uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put(uint8_t *at, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* Gives every whole record its right CRC. */
static void seal(uint8_t *bytes, size_t size)
{
    for (size_t at = 8; size - at >= KW_RECORD_FRAMING;) {
        const size_t length = get_u32(bytes + at);
        if (length > size - at - KW_RECORD_FRAMING) {
            return;
        }
        put(bytes + at + 5 + length, kw_crc32(&crc, bytes + at, length + 5), 4);
        at += length + KW_RECORD_FRAMING;
    }
}

#ifdef KW_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    if (bytes != NULL && size >= 8) {
        kw_crc_prepare(&crc);
        memcpy(bytes, data, size);
        seal(bytes, size);
        (void)kw_replay_journal(bytes, size);
    }
    free(bytes);
    return 0;
}

#else

static uint64_t state;

static size_t draw(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* Where the records begin that are kept, the end behind the last. */
static size_t places[PLACES_MAX];
static size_t n_places;

static size_t find_places(const uint8_t *bytes, size_t size)
{
    size_t at = 8;
    int asks = 0;
    n_places = 0;
    while (at < size && n_places < PLACES_MAX - 1) {
        asks += bytes[at + 4] == KW_RECORD_ASK;
        if (asks > ASKS_KEPT) {
            break;
        }
        places[n_places++] = at;
        at += get_u32(bytes + at) + KW_RECORD_FRAMING;
    }
    places[n_places] = at;
    return at;
}

static size_t setup_place(const uint8_t *bytes)
{
    for (size_t i = 0; i < n_places; i++) {
        if (bytes[places[i] + 4] == KW_RECORD_SETUP) {
            return places[i] + 5;
        }
    }
    return 8;
}

static const uint32_t NUMBERS[] = {0, 1, 2, 7, 8, 9, 64, 65, 119, 12000, 12001,
                                   0x7fffffff, 0x80000000, 0xffffffff, 0x10000, 0x1000000};
static const double FIGURES[] = {0.0, -0.0, 4e-324, 1e-9, 0.5, -1.0, 3.2, 100.0,
                                 2000.0, 1e6, 1e300, -1e300, (double)INFINITY, (double)NAN};

/* One mutation; returns the new size. `size` is that of the whole, `room` is twice as much. */
static size_t mutate(uint8_t *bytes, size_t size)
{
    const size_t record = draw(n_places);
    const size_t at = places[record] < size ? places[record] : 8;
    const size_t length = places[record + 1] - places[record];
    const size_t setup = setup_place(bytes);
    const size_t in_setup = setup + 4 * draw(400);
    switch (draw(9)) {
    case 0:
        bytes[draw(size)] ^= (uint8_t)(1u << draw(8));
        return size;
    case 1:
        bytes[at + 5 + draw(length)] ^= (uint8_t)(1u << draw(8));
        return size;
    case 2:
        put(bytes + in_setup, NUMBERS[draw(sizeof NUMBERS / sizeof NUMBERS[0])], 4);
        return size;
    case 3: {
        uint64_t bits;
        memcpy(&bits, &FIGURES[draw(sizeof FIGURES / sizeof FIGURES[0])], sizeof bits);
        put(bytes + in_setup, bits, 8);
        return size;
    }
    case 4:
        put(bytes + at, draw(2) != 0 ? draw(2 * length) : draw(1u << 31), 4);
        return size;
    case 5:
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 6:
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    case 7:
        bytes[at + 4] = (uint8_t)draw(256);
        return size;
    default:
        return 8 + draw(size - 8);
    }
}

static uint8_t *read_all(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(SIZE_MAX_BYTES);
    if (file == NULL || bytes == NULL) {
        exit(3);
    }
    *out_size = fread(bytes, 1, SIZE_MAX_BYTES, file);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        return 2;
    }
    size_t size;
    uint8_t *journal = read_all(argv[1], &size);
    int outcomes[3] = {0};
    kw_crc_prepare(&crc);
    size = find_places(journal, size);
    state = strtoull(argv[2], NULL, 10);
    for (long i = strtol(argv[3], NULL, 10); i > 0; i--) {
        uint8_t *room = malloc(8 * size);
        if (room == NULL) {
            return 3;
        }
        memcpy(room, journal, size);
        size_t now = mutate(room, size);
        if (now == size && draw(3) == 0) {
            now = mutate(room, now);
        }
        if (draw(4) != 0) {
            seal(room, now);
        }
        /* of exactly its size, so that a sanitizer sees the first byte behind it */
        uint8_t *bytes = malloc(now);
        if (bytes == NULL) {
            return 3;
        }
        memcpy(bytes, room, now);
        outcomes[kw_replay_journal(bytes, now).outcome]++;
        free(bytes);
        free(room);
    }
    free(journal);
    printf("%d %d %d\n", outcomes[0], outcomes[1], outcomes[2]);
    return 0;
}

#endif
