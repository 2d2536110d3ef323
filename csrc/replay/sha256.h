/* SHA-256 (FIPS 180-4), of bytes that are all there: the root of a journal. */
#ifndef KW_REPLAY_SHA256_H
#define KW_REPLAY_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define KW_SHA256_BYTES 32

void kw_sha256(const uint8_t *bytes, size_t size, uint8_t out[KW_SHA256_BYTES]);

#endif
