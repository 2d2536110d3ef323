/* What a hit and a miss do to a cell, and how far a cell is trusted.
 *
 * A scan is applied to a whole row of a tile at once, in vectors of bytes. Most rows only
 * deepen what is known; the few cells where more happens (first seen, decided, occupied on a
 * visit not yet counted) are settled one by one.
 *
 * Time out of view is kept as scan numbers: a cell is out of view for 2 s when the scan that
 * last saw it is older than the first of the last 2 s.
 */
#include "belief.h"

#include <string.h>

#include "common/machine.h"

static bool is_permanent(uint8_t flags) {
    return (flags & KW_ALL_VISITS) == KW_ALL_VISITS;
}

/* Whether the scan that last saw a cell is older than scan `first`. */
static bool is_out_of_view(const kw_belief *belief, uint16_t scan, int64_t first) {
    const int64_t age = (uint16_t)(belief->n_scans - scan);
    return age > belief->n_scans - first;
}

static void flip(kw_tile *tile, uint8_t *flags) {
    tile->n_permanent -= is_permanent(*flags);
    tile->n_changeable += (*flags & KW_CHANGEABLE) == 0;
    *flags = (uint8_t)((*flags & ~(KW_ALL_VISITS | KW_COUNTED)) | KW_CHANGEABLE);
}

/* The flags of a cell after its confidence became what it is. */
static void settle(kw_belief *belief, kw_tile *tile, int32_t index, bool is_new_visit) {
    const uint8_t confidence = tile->confidence[index];
    uint8_t flags = tile->flags[index];
    if (is_new_visit) {
        flags &= (uint8_t)~KW_COUNTED;
    }
    flags = (uint8_t)((flags | KW_SEEN) & ~KW_RELAXED);
    if (confidence >= KW_BIASED_OCCUPIED) {
        if ((flags & KW_LAST_FREE) != 0) {
            flip(tile, &flags);
        }
        flags = (uint8_t)((flags & ~KW_LAST_FREE) | KW_LAST_OCCUPIED);
        if ((flags & (KW_COUNTED | KW_CHANGEABLE)) == 0 && !is_permanent(flags)) {
            flags = (uint8_t)((flags + KW_ONE_VISIT) | KW_COUNTED);
            tile->n_permanent += is_permanent(flags);
        }
    } else if (confidence == 0) {
        if ((flags & KW_LAST_OCCUPIED) != 0) {
            flip(tile, &flags);
        }
        flags = (uint8_t)((flags & ~KW_LAST_OCCUPIED) | KW_LAST_FREE);
    }
    tile->flags[index] = flags;
    kw_tile_stale(belief, tile, index / KW_TILE_SIDE, index % KW_TILE_SIDE);
}

/* All bits of a byte where a condition holds, else none: rows are choices between bytes, in a
 * form that compilers turn into vectors. */
static inline uint8_t mask(bool condition) {
    return (uint8_t) - (int32_t)condition;
}

static inline uint8_t choose(uint8_t where, uint8_t a, uint8_t b) {
    return (uint8_t)((a & where) | (b & (uint8_t)~where));
}

/* Moves the confidences of a row. out_more[i] is not 0 where a cell must be settled: what it is
 * taken for has changed, it was not seen or relaxed, or its visits may have. aged: cells that
 * were long out of view. */
KW_CLONES static uint8_t move_row(const uint8_t *restrict said, uint8_t *restrict confidence,
                                  const uint8_t *restrict flags, const uint8_t *restrict aged,
                                  uint8_t *restrict out_more) {
    const uint8_t zero = KW_BIASED_ZERO;
    const uint8_t occupied = KW_BIASED_OCCUPIED;
    const uint8_t highest = KW_BIASED_MOST - KW_BELIEF_HIT;
    uint8_t any = 0;
    for (int32_t i = 0; i < KW_TILE_SIDE; ++i) {
        const uint8_t c = confidence[i];
        const uint8_t f = flags[i];
        const uint8_t touched = mask(said[i] != KW_UNTOUCHED);
        const uint8_t passed = mask(said[i] < KW_HIT);
        const uint8_t missed = (uint8_t)(c > 0 ? c - 1 : 0);
        const uint8_t from = c > zero ? c : zero;
        const uint8_t hit = (uint8_t)((from < highest ? from : highest) + KW_BELIEF_HIT);
        const uint8_t next = choose(touched, choose(passed, missed, hit), c);
        const uint8_t falls = mask(c == 1) | mask(c == zero) | mask(c == occupied);
        const uint8_t rises =
            mask(c < zero) | (mask(c >= occupied - KW_BELIEF_HIT) & mask(c < occupied));
        const uint8_t fresh = mask((f & (KW_SEEN | KW_RELAXED)) != KW_SEEN);
        const uint8_t permanent = mask((f & KW_ALL_VISITS) == KW_ALL_VISITS);
        const uint8_t counted = mask((f & KW_COUNTED) != 0);
        const uint8_t other = mask((f & (KW_COUNTED | KW_CHANGEABLE)) == 0);
        const uint8_t visits = (counted & aged[i]) | (other & mask(next >= occupied));
        const uint8_t countable = visits & (uint8_t)~permanent;
        const uint8_t more = touched & (choose(passed, falls, rises) | fresh | countable);
        confidence[i] = next;
        out_more[i] = more;
        any |= more;
    }
    return any;
}

/* Notes which cells a scan saw; out_aged[i] is all bits where the last that did is more than
 * `most` scans ago. */
KW_CLONES static void note_scan(const uint8_t *restrict said, uint16_t number, uint16_t most,
                                uint16_t *restrict scan, uint8_t *restrict out_aged) {
    for (int32_t i = 0; i < KW_TILE_SIDE; ++i) {
        out_aged[i] = mask((uint16_t)(number - scan[i]) > most);
        scan[i] = said[i] != KW_UNTOUCHED ? number : scan[i];
    }
}

KW_CLONES static void count_permanent(const uint8_t *restrict said, const uint8_t *restrict flags,
                                      kw_belief_report *report) {
    uint8_t in_view = 0;
    uint8_t passed = 0;
    for (int32_t i = 0; i < KW_TILE_SIDE; ++i) {
        const uint8_t one = 1 & mask((flags[i] & KW_ALL_VISITS) == KW_ALL_VISITS);
        in_view = (uint8_t)(in_view + (one & mask(said[i] != KW_UNTOUCHED)));
        passed = (uint8_t)(passed + (one & mask((said[i] & (KW_PASSED | KW_HIT)) == KW_PASSED)));
    }
    report->permanent += in_view;
    report->contradicted += passed;
}

static void settle_row(kw_belief *belief, kw_tile *tile, int32_t first, const uint8_t *aged,
                       const uint8_t *more) {
    for (int32_t eight = 0; eight < KW_TILE_SIDE; eight += 8) {
        uint64_t any;
        memcpy(&any, &more[eight], sizeof any);
        for (int32_t i = eight; any != 0 && i < eight + 8; ++i) {
            if (more[i] != 0) {
                settle(belief, tile, first + i, aged[i] != 0);
            }
        }
    }
}

/* How many scans ago the first of a visit's time was. It may lie ahead of a mark, never of a scan. */
static uint16_t visit_scans(const kw_belief *belief) {
    const int64_t scans = belief->n_scans - belief->visit_first;
    return (uint16_t)(scans < UINT16_MAX ? scans : UINT16_MAX);
}

void kw_tile_apply_row(kw_belief *belief, kw_tile *tile, int32_t row, const uint8_t *said,
                       kw_belief_report *report) {
    const int32_t first = row * KW_TILE_SIDE;
    tile->is_relaxed = false;
    if (tile->n_permanent > 0) {
        count_permanent(said, &tile->flags[first], report);
    }
    uint8_t aged[KW_TILE_SIDE];
    uint8_t more[KW_TILE_SIDE];
    note_scan(said, (uint16_t)belief->n_scans, visit_scans(belief), &tile->scan[first], aged);
    if (move_row(said, &tile->confidence[first], &tile->flags[first], aged, more) != 0) {
        settle_row(belief, tile, first, aged, more);
    }
}

void kw_tile_mark(kw_belief *belief, kw_tile *tile, int32_t index, int32_t said) {
    const uint8_t c = tile->confidence[index];
    tile->is_relaxed = false;
    const int32_t raised = (c > KW_BIASED_ZERO ? c : KW_BIASED_ZERO) + KW_BELIEF_HIT;
    tile->confidence[index] =
        (uint8_t)(said == KW_CERTAIN || raised > KW_BIASED_MOST ? KW_BIASED_MOST : raised);
    settle(belief, tile, index, is_out_of_view(belief, tile->scan[index], belief->visit_first));
    tile->scan[index] = (uint16_t)belief->n_scans;
}

/* Ages beyond half of 2^16 scans are held there, so that none comes to look young again. */
static void hold_ages(kw_belief *belief) {
    const uint16_t held = (uint16_t)(belief->n_scans - 0x8000);
    for (int32_t i = 0; i < belief->n_made; ++i) {
        kw_tile *tile = belief->made[i];
        for (int32_t k = 0; k < KW_TILE_CELLS; ++k) {
            const uint16_t age = (uint16_t)(belief->n_scans - tile->scan[k]);
            tile->scan[k] = age > 0x8000 ? held : tile->scan[k];
        }
    }
}

/* The first scan, from `first` on, that is later than a tick. */
static int64_t first_after(const kw_belief *belief, int64_t first, int64_t tick) {
    if (first + KW_RECENT_SCANS <= belief->n_scans) {
        first = belief->n_scans - KW_RECENT_SCANS + 1;
    }
    while (first <= belief->n_scans && belief->scan_tick[first % KW_RECENT_SCANS] <= tick) {
        first += 1;
    }
    return first;
}

void kw_belief_count_scan(kw_belief *belief, int32_t tick) {
    belief->n_scans += 1;
    belief->scan_tick[belief->n_scans % KW_RECENT_SCANS] = tick;
    belief->visit_first =
        first_after(belief, belief->visit_first, (int64_t)tick - KW_BELIEF_VISIT_TICK);
    if (belief->n_scans % 0x4000 == 0) {
        hold_ages(belief);
    }
}

static void relax_cell(kw_belief *belief, kw_tile *tile, int32_t index) {
    const uint8_t c = tile->confidence[index];
    const uint8_t next = (uint8_t)(c + (c < KW_BIASED_ZERO) - (c > KW_BIASED_ZERO));
    tile->confidence[index] = next;
    if (next > 0 && next < KW_BIASED_OCCUPIED) {
        tile->flags[index] |= KW_RELAXED;
        kw_tile_stale(belief, tile, index / KW_TILE_SIDE, index % KW_TILE_SIDE);
    }
}

static void relax_tile(kw_belief *belief, kw_tile *tile) {
    tile->is_relaxed = true;
    for (int32_t i = 0; i < KW_TILE_CELLS; ++i) {
        if (i % 8 == 0) {
            uint64_t eight;
            memcpy(&eight, &tile->flags[i], sizeof eight);
            if ((eight & KW_CHANGEABLE * 0x0101010101010101U) == 0) {
                i += 7; /* few cells of a tile are changeable */
                continue;
            }
        }
        if ((tile->flags[i] & KW_CHANGEABLE) != 0 && tile->confidence[i] != KW_BIASED_ZERO) {
            tile->is_relaxed = false;
            if (is_out_of_view(belief, tile->scan[i], belief->relax_first)) {
                relax_cell(belief, tile, i);
            }
        }
    }
}

void kw_belief_relax(kw_belief *belief, int32_t tick) {
    if (tick <= belief->tick) {
        return;
    }
    int32_t second = belief->tick / KW_BELIEF_STEP_TICK;
    const int32_t last = tick / KW_BELIEF_STEP_TICK;
    belief->tick = tick;
    if (last - second > KW_BIASED_MOST + KW_BELIEF_RELAX_TICK / KW_BELIEF_STEP_TICK) {
        /* longer than any cell takes to be unknown */
        second = last - KW_BIASED_MOST - KW_BELIEF_RELAX_TICK / KW_BELIEF_STEP_TICK;
    }
    while (++second <= last) {
        belief->relax_first =
            first_after(belief, belief->relax_first,
                        (int64_t)second * KW_BELIEF_STEP_TICK - KW_BELIEF_RELAX_TICK);
        for (int32_t i = 0; i < belief->n_made; ++i) {
            kw_tile *tile = belief->made[i];
            if (tile->n_changeable > 0 && !tile->is_relaxed) {
                relax_tile(belief, tile);
            }
        }
    }
}
