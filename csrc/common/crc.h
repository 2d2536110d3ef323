/* CRC-32 as in Ethernet and zip: guards each record of a journal. */
#ifndef KW_COMMON_CRC_H
#define KW_COMMON_CRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the tables take at a time, each with a table of its own. */
#define KW_CRC_SLICES 16

/* What the sums are made with. */
typedef struct {
    uint32_t tables[KW_CRC_SLICES * 256]; /* those of the last byte first */
    bool folds; /* whether the processor multiplies without carries; the sums are the same */
} kw_crc;

void kw_crc_prepare(kw_crc *out_crc);

uint32_t kw_crc32(const kw_crc *crc, const uint8_t *bytes, size_t n);

#endif
