/* A queue of cells by an integer key: Dial's buckets (1969), each of several keys and taken
 * modulo their number, so that keys in the queue at one time must span less than all.
 *
 * Within a bucket the last in is the first out. So a cell may come out before one by which
 * it is reached cheaper; it is then put in again, and its dearer entry passed over when its
 * turn comes. What came out of a bucket is final once the bucket is empty. Entries are used
 * again, so the queue is as large as the widest front was, not as the grid.
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
    uint32_t cell_from; /* the cell's index, and below it the direction it was entered by */
} kw_entry;

/* A grid with its padding has fewer than 2^28 cells. The index is kept beside row and column, as
 * a search waits for it. */
static inline uint32_t kw_cell_from(int32_t cell, int32_t from) {
    return (uint32_t)cell << 4 | (uint32_t)from;
}

static inline int32_t kw_cell_of(const kw_entry *entry) {
    return (int32_t)(entry->cell_from >> 4);
}

static inline int32_t kw_from_of(const kw_entry *entry) {
    return (int32_t)(entry->cell_from & 15);
}

typedef struct {
    int32_t *heads; /* [mask + 1], -1 for none */
    uint32_t mask;
    uint32_t shift; /* a bucket takes 1 << shift keys */
    uint32_t turn;  /* the bucket whose turn it is, not reduced */
    kw_entry *entries;
    int32_t capacity;
    int32_t n_used; /* entries beyond have never been in */
    int32_t spare;  /* first of those that came out, -1 for none */
    int32_t n_in;
} kw_buckets;

/* Makes an empty queue ready for keys from least on that span at most so much, with buckets
 * no wider than width. */
kw_status kw_buckets_start(kw_buckets *queue, uint32_t least, uint32_t span, uint32_t width);
void kw_buckets_clear(kw_buckets *queue);
void kw_buckets_free(kw_buckets *queue);
int64_t kw_buckets_bytes(const kw_buckets *queue);

/* Makes room for n more entries. */
kw_status kw_buckets_grow(kw_buckets *queue, int32_t n);

static inline bool kw_buckets_has_room(const kw_buckets *queue, int32_t n) {
    return queue->n_in + n <= queue->capacity;
}

/* Room must have been made. */
static inline void kw_buckets_put(kw_buckets *queue, uint32_t key, kw_entry entry) {
    int32_t place = queue->spare;
    if (place >= 0) {
        queue->spare = queue->entries[place].next;
    } else {
        place = queue->n_used++;
    }
    int32_t *head = &queue->heads[key >> queue->shift & queue->mask];
    entry.next = *head;
    queue->entries[place] = entry;
    *head = place;
    queue->n_in++;
}

/* Goes on to the next bucket that holds an entry; false when none does. */
static inline bool kw_buckets_turn(kw_buckets *queue) {
    if (queue->n_in == 0) {
        return false;
    }
    while (queue->heads[queue->turn & queue->mask] < 0) {
        queue->turn++;
    }
    return true;
}

/* Takes an entry from the bucket whose turn it is; false when that is empty. */
static inline bool kw_buckets_take(kw_buckets *queue, kw_entry *out) {
    int32_t *head = &queue->heads[queue->turn & queue->mask];
    const int32_t place = *head;
    if (place < 0) {
        return false;
    }
    *out = queue->entries[place];
    *head = out->next;
    queue->entries[place].next = queue->spare;
    queue->spare = place;
    queue->n_in--;
    return true;
}

/* The entry that comes out after this one if none is put before it; where this is the last of its
 * bucket, one that was in the queue. */
static inline const kw_entry *kw_buckets_after(const kw_buckets *queue, const kw_entry *entry) {
    return &queue->entries[entry->next > 0 ? entry->next : 0];
}

#endif
