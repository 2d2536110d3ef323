#include "reader.h"

#include <string.h>

#include "kw_world.h"

static uint64_t read_bytes(kw_reader *from, size_t n) {
    uint64_t value = 0;
    if (from->size - from->at < n) {
        from->at = from->size;
        from->short_of = true;
        return 0;
    }
    for (size_t i = 0; i < n; ++i) {
        value |= (uint64_t)from->bytes[from->at + i] << (8 * i);
    }
    from->at += n;
    return value;
}

uint64_t kw_read_u64(kw_reader *from) {
    return read_bytes(from, 8);
}

int32_t kw_read_i32(kw_reader *from) {
    uint32_t bits = (uint32_t)read_bytes(from, 4);
    return bits <= INT32_MAX ? (int32_t)bits : -(int32_t)(UINT32_MAX - bits) - 1;
}

double kw_read_f64(kw_reader *from) {
    uint64_t bits = read_bytes(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int32_t kw_read_count(kw_reader *from, size_t item_bytes) {
    int32_t n = kw_read_i32(from);
    if (n < 0 || (size_t)n > (from->size - from->at) / item_bytes) {
        from->at = from->size;
        from->short_of = true;
        return 0;
    }
    return n;
}

/* CRC-32 as in Ethernet and zip, bit by bit: another way than the writer's table. */
static uint32_t crc32_of(const uint8_t *bytes, size_t size) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}

const char *kw_read_record(const uint8_t *bytes, size_t size, size_t *at, kw_record *out) {
    kw_reader head = {.bytes = bytes, .size = size, .at = *at};
    size_t length = (size_t)read_bytes(&head, 4);
    int32_t kind = (int32_t)read_bytes(&head, 1);
    if (head.short_of || size - head.at < 4 || length > size - head.at - 4) {
        return "the file is cut within this record";
    }
    kw_reader tail = {.bytes = bytes, .size = size, .at = head.at + length};
    if ((uint32_t)read_bytes(&tail, 4) != crc32_of(bytes + *at, length + 5)) {
        return "bytes of this record were changed";
    }
    if (kind >= KW_JOURNAL_UNKNOWN_STOPS && kind != KW_RECORD_PLACE) {
        return "a record of unknown kind that may not be skipped";
    }
    *out = (kw_record){*at, kind, bytes + head.at, length};
    *at = tail.at;
    return NULL;
}
