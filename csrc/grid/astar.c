/* A* over a lattice, from one cell to the cheapest to reach of several.
 *
 * Hart, Nilsson and Raphael (1968) with Dial's buckets (1969) for a queue. The estimate
 * (estimate.h) never errs upward and falls by no more than a step costs, so a cell is looked
 * at once and a goal's cost is the least when its turn comes. Without goals the estimate is
 * nought, and all that can be reached is (Dijkstra).
 *
 * A cell entered from another needs not look at the neighbours that the other had too and
 * that it cannot reach cheaper: behind it and, after a diagonal step, beside (after the
 * pruning of Harabor and Grastien, 2011, in the part that holds for any prices).
 *
 * Meanwhile, and far slower, the cells from which the goals could be reached are flooded.
 * When they end before the two meet, no route leads there, and whichever side is small
 * has shown it.
 *
 * A start in a lethal cell is left by the shortest way (ways_out.c), and the search starts
 * from all cells that are as near. If it finds nothing it goes on from the next nearest.
 */
#include "grid/bits.h"
#include "grid/estimate.h"
#include "grid/goals.h"

/* A flooded cell costs a fraction of an expanded one, and few are needed. */
#define EXPANDED_A_TURN 256
#define FLOODED_A_TURN 32

/* Which neighbours are worth a look after entering a cell by a direction, and at the start. */
#define EAST 1
#define NORTH 2
#define WEST 4
#define SOUTH 8
#define NORTH_EAST 16
#define NORTH_WEST 32
#define SOUTH_WEST 64
#define SOUTH_EAST 128
static const uint8_t worth[KW_DIRECTIONS + 1] = {
    EAST | NORTH | SOUTH | NORTH_EAST | SOUTH_EAST,
    EAST | NORTH | WEST | NORTH_EAST | NORTH_WEST,
    NORTH | WEST | SOUTH | NORTH_WEST | SOUTH_WEST,
    EAST | WEST | SOUTH | SOUTH_WEST | SOUTH_EAST,
    EAST | NORTH | NORTH_EAST | NORTH_WEST | SOUTH_EAST,
    NORTH | WEST | NORTH_EAST | NORTH_WEST | SOUTH_WEST,
    WEST | SOUTH | NORTH_WEST | SOUTH_WEST | SOUTH_EAST,
    EAST | SOUTH | NORTH_EAST | SOUTH_WEST | SOUTH_EAST,
    255,
};

typedef struct {
    kw_lattice *lattice;
    const kw_query *query;
    kw_estimate ahead;
    uint32_t reach;  /* no step raises a key by more */
    uint32_t length; /* of the ways out of lethal cells, so far */
    int32_t n_tried; /* sources already started from */
    int32_t expanded;
    kw_goal_flood flood;
} search;

/* Forgets the last search: whatever it wrote lies below the new base. */
static void begin(kw_lattice *lattice) {
    kw_lattice_forget(lattice);
    lattice->route.n = 0;
    lattice->queue.turn = 0;
    if (lattice->top > KW_COST_MOST - (1 << 20)) { /* so that no sum passes 32 bits */
        const int32_t n = (lattice->n_rows + 2) * lattice->stride;
        for (int32_t i = 0; i < n; i++) {
            lattice->nodes[i].cost = 0;
        }
        lattice->top = 1;
    }
    lattice->base = lattice->top;
}

/* Unmarks all but the sources, which a trace needs. */
static void end(search *at) {
    kw_lattice *lattice = at->lattice;
    kw_goals_unmark(lattice, at->query);
    kw_buckets_clear(&lattice->queue);
    kw_buckets_clear(&lattice->ways_out);
    /* no cost is as great: each was put in with a key at most a step beyond the last */
    const uint32_t key = (lattice->queue.turn + 1) << lattice->queue.shift;
    const uint32_t most = key > at->length ? key : at->length;
    lattice->top = lattice->base + most + at->reach + 1;
}

/* The cost at a source: of all steps on the way out of lethal cells. */
static uint64_t cost_at_source(const kw_lattice *lattice, const kw_source *source) {
    return source->length * (uint64_t)lattice->leaving;
}

/* Puts the sources not yet tried into the queue. */
static kw_status start_from_sources(search *at, kw_outcome *out_outcome) {
    kw_lattice *lattice = at->lattice;
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
    for (int32_t i = at->n_tried; i < lattice->n_sources; i++) {
        const kw_source *source = &lattice->sources[i];
        const uint64_t cost = cost_at_source(lattice, source);
        const uint64_t key = cost + kw_estimate_at(&at->ahead, source->row, source->col);
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    if (high > KW_COST_MOST) {
        *out_outcome = KW_LIMIT;
        return KW_OK;
    }
    const int32_t n = lattice->n_sources - at->n_tried;
    const uint32_t span = (uint32_t)(high - low) + at->reach;
    const uint32_t width = (uint32_t)(KW_STEP_STRAIGHT * lattice->least_price / 2);
    if (kw_buckets_start(&lattice->queue, (uint32_t)low, span, width) != KW_OK ||
        (!kw_buckets_has_room(&lattice->queue, n) &&
         kw_buckets_grow(&lattice->queue, n) != KW_OK)) {
        return KW_NO_MEMORY;
    }
    for (int32_t i = at->n_tried; i < lattice->n_sources; i++) {
        const kw_source *source = &lattice->sources[i];
        const uint32_t cost = (uint32_t)cost_at_source(lattice, source);
        const int32_t cell = kw_lattice_at(lattice, source->row, source->col);
        lattice->nodes[cell].cost = lattice->base + cost;
        kw_buckets_put(&lattice->queue, cost + kw_estimate_at(&at->ahead, source->row, source->col),
                       (kw_entry){.cost = cost,
                                  .row = (uint16_t)source->row,
                                  .col = (uint16_t)source->col,
                                  .cell_from = kw_cell_from(cell, KW_NO_DIRECTION)});
    }
    at->n_tried = lattice->n_sources;
    return KW_OK;
}

/* Which neighbours get cheaper by this cell, a bit for each direction: found without
 * branches, as half of them would be guessed wrong. What lies below the base wraps round. */
static inline uint32_t cheaper_by(const kw_node *node, int32_t stride, uint32_t cost,
                                  uint32_t base) {
    const kw_node *north = node + stride;
    const kw_node *south = node - stride;
#define CHEAPER(next, length) (uint32_t)(cost + (length) * (next).price < (next).cost - base)
    return CHEAPER(node[1], KW_STEP_STRAIGHT) | CHEAPER(north[0], KW_STEP_STRAIGHT) << 1 |
           CHEAPER(node[-1], KW_STEP_STRAIGHT) << 2 | CHEAPER(south[0], KW_STEP_STRAIGHT) << 3 |
           CHEAPER(north[1], KW_STEP_DIAGONAL) << 4 | CHEAPER(north[-1], KW_STEP_DIAGONAL) << 5 |
           CHEAPER(south[-1], KW_STEP_DIAGONAL) << 6 | CHEAPER(south[1], KW_STEP_DIAGONAL) << 7;
#undef CHEAPER
}

/* What happens now and then between two cells: the limit, and the goals' flood. False ends
 * the search; otherwise *out_left cells may be expanded before the next time. */
static bool check(search *at, kw_route *out_route, kw_status *status, int32_t *out_left) {
    if (at->expanded >= at->query->node_limit) {
        out_route->outcome = KW_LIMIT;
        return false;
    }
    bool closed = false;
    if (at->flood.is_running) {
        *status = kw_goals_flood(at->lattice, &at->flood, FLOODED_A_TURN, &closed);
    }
    if (closed) {
        out_route->outcome = KW_EXHAUSTED;
        out_route->closed_side = KW_SIDE_GOAL;
    }
    const int32_t left = at->query->node_limit - at->expanded;
    *out_left = at->flood.is_running && left > EXPANDED_A_TURN ? EXPANDED_A_TURN : left;
    return *status == KW_OK && !closed;
}

static bool grow(kw_lattice *lattice, kw_buckets *queue) {
    lattice->queue = *queue;
    const bool grew = kw_buckets_grow(&lattice->queue, KW_DIRECTIONS) == KW_OK;
    *queue = lattice->queue;
    return grew;
}

/* Asks for what is looked at when an entry's turn comes. */
static inline void fetch(const kw_lattice *lattice, const kw_entry *entry) {
    const kw_node *node = &lattice->nodes[kw_cell_of(entry)];
    KW_PREFETCH(node);
    KW_PREFETCH(node + lattice->stride);
    KW_PREFETCH(node - lattice->stride);
}

/* Until the turn of the bucket in which a goal was met is over, as a cheaper one may be in
 * it; *out_goal is then the cheapest goal's entry.
 * What the loop reads is copied, so that no store to a cell or an entry can change it. */
static kw_status run(search *at, kw_route *out_route, kw_entry *out_goal) {
    const kw_lattice lattice = *at->lattice;
    const kw_estimate ahead = at->ahead;
    const bool has_goals = at->query->n_goals > 0;
    kw_buckets queue = lattice.queue;
    kw_status status = KW_OK;
    kw_entry entry;
    kw_entry best = {.cost = UINT32_MAX};
    int32_t left = 0;
    out_route->outcome = KW_EXHAUSTED;
    out_route->closed_side = KW_SIDE_START;
    while (best.cost == UINT32_MAX && kw_buckets_turn(&queue)) {
        if (((uint64_t)queue.turn << queue.shift) + at->reach > KW_COST_MOST) {
            out_route->outcome = KW_LIMIT;
            goto done;
        }
        while (kw_buckets_take(&queue, &entry)) {
            const int32_t cell = kw_cell_of(&entry);
            kw_node *node = &lattice.nodes[cell];
            fetch(&lattice, kw_buckets_after(&queue, &entry));
            if (node->cost - lattice.base != entry.cost) {
                continue; /* reached cheaper since */
            }
            if (best.cost != UINT32_MAX &&
                entry.cost + kw_estimate_at(&ahead, entry.row, entry.col) >= best.cost) {
                continue; /* no cheaper goal lies this way */
            }
            /* the box is at hand, the mark is not */
            if (has_goals && kw_box_holds(&ahead.goals, entry.row, entry.col) &&
                (lattice.marks[cell] & KW_MARK_GOAL) != 0) {
                best = entry;
                continue;
            }
            if (left == 0 && !check(at, out_route, &status, &left)) {
                goto done;
            }
            if (!kw_buckets_has_room(&queue, KW_DIRECTIONS) && !grow(at->lattice, &queue)) {
                status = KW_NO_MEMORY;
                goto done;
            }
            left--;
            at->expanded++;
            uint32_t cheaper = cheaper_by(node, lattice.stride, entry.cost, lattice.base) &
                               node->moves & worth[kw_from_of(&entry)];
            while (cheaper != 0) {
                const int32_t d = kw_lowest_bit(cheaper);
                cheaper &= cheaper - 1;
                const int32_t to = cell + lattice.offsets[d];
                kw_node *next = &lattice.nodes[to];
                const uint32_t cost = entry.cost + kw_step_length(d) * next->price;
                const int32_t row = entry.row + kw_row_steps[d];
                const int32_t col = entry.col + kw_col_steps[d];
                next->cost = lattice.base + cost;
                KW_PREFETCH(next + lattice.offsets[d]); /* looked at when its turn comes */
                kw_buckets_put(&queue, cost + kw_estimate_at(&ahead, row, col),
                               (kw_entry){.cost = cost,
                                          .row = (uint16_t)row,
                                          .col = (uint16_t)col,
                                          .cell_from = kw_cell_from(to, d)});
            }
        }
    }
    if (best.cost != UINT32_MAX) {
        out_route->outcome = KW_FOUND;
        *out_goal = best;
    }
done:
    at->lattice->queue = queue;
    return status;
}

/* From the start, or from one set of ways out of lethal cells after another. */
static kw_status run_all(search *at, kw_route *out_route, kw_entry *out_goal) {
    kw_lattice *lattice = at->lattice;
    const kw_query *query = at->query;
    const int32_t start = kw_lattice_at(lattice, query->start_row, query->start_col);
    kw_outcome outcome = KW_EXHAUSTED;
    kw_status status = KW_OK;
    const bool lethal = lattice->nodes[start].price == 0;
    out_route->closed_side = KW_SIDE_START;
    if (!lethal) {
        const kw_source source = {query->start_row, query->start_col, 0, KW_NO_DIRECTION};
        if (!kw_lattice_add_source(lattice, source)) {
            return KW_NO_MEMORY;
        }
        status = query->n_goals > 0 ? kw_goals_start_flood(lattice, query, &at->flood) : KW_OK;
    } else if (lattice->leaving > 0) {
        status = kw_ways_out_start(lattice, query->start_row, query->start_col);
    }
    while (status == KW_OK && outcome == KW_EXHAUSTED) {
        if (lethal && lattice->leaving > 0) {
            status = kw_ways_out_next(lattice, &at->length, &at->expanded);
            if (status == KW_OK && at->length > KW_COST_MOST / 512) {
                outcome = KW_LIMIT;
            }
        }
        if (status != KW_OK || outcome == KW_LIMIT || at->n_tried == lattice->n_sources) {
            break;
        }
        status = start_from_sources(at, &outcome);
        if (status == KW_OK && outcome != KW_LIMIT) {
            status = run(at, out_route, out_goal);
            outcome = (kw_outcome)out_route->outcome;
        }
        if (!lethal) {
            break;
        }
    }
    out_route->outcome = (int32_t)outcome;
    if (outcome != KW_EXHAUSTED) {
        out_route->closed_side = KW_SIDE_NONE;
    }
    return status;
}

kw_status kw_lattice_plan(kw_lattice *lattice, const kw_query *query, kw_route *out_route) {
    search at = {.lattice = lattice, .query = query};
    at.reach = (uint32_t)(KW_STEP_DIAGONAL * (lattice->most_price + lattice->most_price));
    *out_route = (kw_route){.goal = -1};
    begin(lattice);
    kw_box goals;
    const int32_t n_goals = kw_goals_mark(lattice, query, &goals);
    if (query->n_goals == 0) {
        at.ahead.goals = (kw_box){0, lattice->n_rows + 1, 0, lattice->n_cols + 1};
    } else {
        at.ahead = kw_estimate_of(lattice, goals);
    }
    const int32_t here = kw_goals_find(query, query->start_row, query->start_col);
    kw_entry goal = {.row = (uint16_t)query->start_row, .col = (uint16_t)query->start_col};
    kw_status status = KW_OK;
    if (here >= 0) {
        const kw_source source = {query->start_row, query->start_col, 0, KW_NO_DIRECTION};
        const int32_t cell = kw_lattice_at(lattice, query->start_row, query->start_col);
        status = kw_lattice_add_source(lattice, source) ? KW_OK : KW_NO_MEMORY;
        lattice->nodes[cell].cost = lattice->base;
        out_route->outcome = KW_FOUND;
    } else if (query->n_goals > 0 && n_goals == 0) {
        out_route->outcome = KW_EXHAUSTED;
        out_route->closed_side = KW_SIDE_GOAL;
    } else {
        status = run_all(&at, out_route, &goal);
    }
    end(&at);
    out_route->expanded = at.expanded;
    if (status == KW_OK && out_route->outcome == KW_FOUND) {
        out_route->goal = kw_goals_find(query, goal.row, goal.col);
        status = kw_lattice_trace(lattice, goal.row, goal.col, out_route);
    }
    return status;
}
