/* Records of a drive, as they stand in a journal: u32 length, u8 kind, payload, u32 CRC-32. */
#ifndef KW_RECORD_H
#define KW_RECORD_H

#include "kw_world.h"

/* CRC-32 as in zlib, over n bytes after those that gave `crc` (0 at first). */
uint32_t kw_crc32(uint32_t crc, const uint8_t *bytes, size_t n);

/* A 64-bit digest of n bytes of state, the same on every machine. */
uint64_t kw_digest(const uint8_t *bytes, size_t n);

#endif
