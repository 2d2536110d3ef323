/* A queue of cells by an integer key that never falls: Dial's buckets, taken modulo their
 * number, so that keys in the queue at one time must span less than that.
 *
 * A cell that gets cheaper is put in again, and its dearer entry is passed over when its
 * turn comes. Within a bucket the last in is the first out. Entries are used again, so the
 * queue is as large as the widest front was, not as the grid.
 */
#ifndef KW_GRID_BUCKETS_H
#define KW_GRID_BUCKETS_H

#include <stdbool.h>

#include "kw_types.h"

typedef struct {
    uint32_t cost; /* from the start, when it was put in */
    int32_t next;  /* in its bucket or among the spare, -1 for none */
    uint16_t row;
    uint16_t col;
    int32_t from; /* the direction it was entered by */
} kw_entry;

typedef struct {
    int32_t *heads; /* [mask + 1], -1 for none */
    uint32_t mask;
    kw_entry *entries;
    int32_t capacity;
    int32_t n_used; /* entries beyond have never been in */
    int32_t spare;  /* first of those that came out, -1 for none */
    int32_t n_in;
} kw_buckets;

/* Makes room for keys that span less than this. The queue must be empty. */
kw_status kw_buckets_span(kw_buckets *queue, uint32_t span);
void kw_buckets_clear(kw_buckets *queue);
void kw_buckets_free(kw_buckets *queue);
int64_t kw_buckets_bytes(const kw_buckets *queue);

/* Makes room for n more entries. */
kw_status kw_buckets_grow(kw_buckets *queue, int32_t n);

static inline kw_status kw_buckets_reserve(kw_buckets *queue, int32_t n) {
    return queue->n_in + n <= queue->capacity ? KW_OK : kw_buckets_grow(queue, n);
}

/* Room must have been reserved. */
static inline void kw_buckets_put(kw_buckets *queue, uint32_t key, kw_entry entry) {
    const int32_t place = queue->spare >= 0 ? queue->spare : queue->n_used++;
    kw_entry *to = &queue->entries[place];
    if (queue->spare >= 0) {
        queue->spare = to->next;
    }
    int32_t *head = &queue->heads[key & queue->mask];
    entry.next = *head;
    *to = entry;
    *head = place;
    queue->n_in++;
}

/* Takes the next entry, raising *key to its own; false when the queue is empty. */
static inline bool kw_buckets_take(kw_buckets *queue, uint32_t *key, kw_entry *out) {
    if (queue->n_in == 0) {
        return false;
    }
    int32_t place = queue->heads[*key & queue->mask];
    while (place < 0) {
        place = queue->heads[++*key & queue->mask];
    }
    kw_entry *from = &queue->entries[place];
    *out = *from;
    queue->heads[*key & queue->mask] = out->next;
    from->next = queue->spare;
    queue->spare = place;
    queue->n_in--;
    return true;
}

#endif
