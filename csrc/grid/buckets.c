#include "grid/buckets.h"

#include <stdlib.h>
#include <string.h>

static void empty(kw_buckets *queue) {
    memset(queue->heads, 0xff, ((size_t)queue->mask + 1) * sizeof *queue->heads); /* all -1 */
    queue->n_used = 0;
    queue->spare = -1;
    queue->n_in = 0;
}

kw_status kw_buckets_start(kw_buckets *queue, uint32_t least, uint32_t span, uint32_t width) {
    queue->shift = 0;
    while ((uint32_t)2 << queue->shift <= width) {
        queue->shift++;
    }
    queue->turn = least >> queue->shift;
    uint32_t n = 64;
    while (n < (span >> queue->shift) + 2) { /* the first and the last may be begun */
        n *= 2;
    }
    if (queue->heads != NULL && queue->mask + 1 >= n) {
        return KW_OK;
    }
    int32_t *heads = malloc(n * sizeof *heads);
    if (heads == NULL) {
        return KW_NO_MEMORY;
    }
    free(queue->heads);
    queue->heads = heads;
    queue->mask = n - 1;
    empty(queue);
    return KW_OK;
}

void kw_buckets_clear(kw_buckets *queue) {
    if (queue->heads != NULL && queue->n_used > 0) {
        empty(queue);
    }
}

void kw_buckets_free(kw_buckets *queue) {
    free(queue->heads);
    free(queue->entries);
    *queue = (kw_buckets){.spare = -1};
}

int64_t kw_buckets_bytes(const kw_buckets *queue) {
    const int64_t heads = queue->heads == NULL ? 0 : (int64_t)queue->mask + 1;
    return heads * (int64_t)sizeof *queue->heads +
           queue->capacity * (int64_t)sizeof *queue->entries;
}

kw_status kw_buckets_grow(kw_buckets *queue, int32_t n) {
    const int32_t capacity = queue->capacity + queue->capacity / 2 + n + 1024;
    kw_entry *entries = realloc(queue->entries, (size_t)capacity * sizeof *entries);
    if (entries == NULL) {
        return KW_NO_MEMORY;
    }
    queue->entries = entries;
    queue->capacity = capacity;
    return KW_OK;
}
