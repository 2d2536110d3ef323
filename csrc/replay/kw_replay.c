/* kw_replay JOURNAL: replays a recorded drive through its asks, without Python, and says
 * whether every record is the same. Exit status 0 same, 1 different, 2 bad file or usage.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kw_world.h"
#include "replay.h"

/* The whole file, or NULL with the reason said. */
static uint8_t *read_file(const char *path, size_t *out_size) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t size = 0;
    size_t room = 0;
    bool good = file != NULL;
    while (good && feof(file) == 0) {
        if (size == room) {
            room = room == 0 ? 65536 : room * 2;
            uint8_t *more = room > size ? realloc(bytes, room) : NULL;
            good = more != NULL;
            bytes = good ? more : bytes;
        }
        if (good) {
            size += fread(bytes + size, 1, room - size, file);
            good = ferror(file) == 0;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    if (!good) {
        free(bytes);
        return NULL;
    }
    *out_size = size;
    return bytes;
}

static void print_side(const char *when, const kw_replay_side *side) {
    printf("%s %s", when, kw_record_name(side->kind));
    for (int32_t i = 0; i < side->n_bytes; ++i) {
        printf(" %02x", side->bytes[i]);
    }
}

static void print_result(const kw_replay *result) {
    if (result->outcome == KW_REPLAY_SAME) {
        printf("same ");
        for (int i = 0; i < KW_SHA256_BYTES; ++i) {
            printf("%02x", result->root[i]);
        }
        printf(" %ld steps %ld ticks %ld records\n", (long)result->steps, (long)result->tick,
               (long)result->records);
        return;
    }
    printf("%s at byte %zu: %s", result->outcome == KW_REPLAY_DIFFERENT ? "different" : "bad file",
           result->offset, result->reason);
    if (result->recorded.kind != 0 || result->again.kind != 0) {
        printf(" from byte %zu of its payload on: ", result->place);
        print_side("recorded", &result->recorded);
        print_side(", now", &result->again);
    }
    printf("; %ld records before are the same\n", (long)result->records);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        (void)fputs("usage: kw_replay JOURNAL\n", stderr);
        return KW_REPLAY_BAD_FILE;
    }
    if (kw_self_check() != KW_OK) {
        (void)fputs("kw_replay: this machine or build does not round as IEEE doubles do\n", stderr);
        return KW_REPLAY_BAD_FILE;
    }
    size_t size = 0;
    uint8_t *bytes = read_file(argv[1], &size);
    if (bytes == NULL) {
        (void)fprintf(stderr, "kw_replay: %s can't be read\n", argv[1]);
        return KW_REPLAY_BAD_FILE;
    }
    kw_replay result = kw_replay_journal(bytes, size);
    print_result(&result);
    free(bytes);
    return (int)result.outcome;
}
