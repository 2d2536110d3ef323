/* Replay through asks: a journal's drive is run again from what its bytes say, and every
 * record that the core brings forth is compared with the one in the file.
 */
#ifndef KW_REPLAY_H
#define KW_REPLAY_H

#include "reader.h"
#include "sha256.h"

typedef enum {
    KW_REPLAY_SAME = 0,
    KW_REPLAY_DIFFERENT = 1,
    KW_REPLAY_BAD_FILE = 2,
} kw_replay_outcome;

/* Where two records part: `kind` is 0 for one that is not there. */
typedef struct {
    int32_t kind;
    uint8_t bytes[8]; /* of the payload, from the first that differs on */
    int32_t n_bytes;
} kw_replay_side;

typedef struct {
    kw_replay_outcome outcome;
    const char *reason; /* "" where all is the same */
    size_t offset;      /* in the file, of the record that the reason speaks of */
    size_t place;       /* of the first byte that differs, in the payload */
    kw_replay_side recorded;
    kw_replay_side again;
    int32_t steps;
    int32_t tick;                  /* the last */
    int32_t records;               /* compared */
    uint8_t root[KW_SHA256_BYTES]; /* of the file, up to its end record */
} kw_replay;

/* Replays a whole file. A cut one is replayed up to there, and then is a bad file. */
kw_replay kw_replay_journal(const uint8_t *bytes, size_t size);

/* Name of a kind of record, as in the journal's description. */
const char *kw_record_name(int32_t kind);

#endif
