/* Numbers and records out of bytes that nobody vouches for: no length is believed before
 * it was found to lie within what is there.
 */
#ifndef KW_REPLAY_READER_H
#define KW_REPLAY_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little-endian numbers one after the other. Past the end they are zero and `short_of` is
 * set for good, so a whole table is read first and judged once. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    bool short_of;
} kw_reader;

uint64_t kw_read_u64(kw_reader *from);
int32_t kw_read_i32(kw_reader *from);
double kw_read_f64(kw_reader *from);

/* How many items an array has, each of which takes item_bytes; 0 where so many can't follow. */
int32_t kw_read_count(kw_reader *from, size_t item_bytes);

/* One record of a journal. */
typedef struct {
    size_t offset; /* in the file, where the record begins */
    int32_t kind;
    const uint8_t *payload;
    size_t length; /* of the payload */
} kw_record;

/* What a record has around its payload: length, kind and CRC. */
#define KW_RECORD_FRAMING 9

/* The record at `at`, which moves behind it. NULL, or why there is none. */
const char *kw_read_record(const uint8_t *bytes, size_t size, size_t *at, kw_record *out);

#endif
