/* Rooms of a belief's copy: free space cut at its doorways.
 *
 * The free space is worn off by half a neck from all that is not free; what then hangs together
 * is the core of a room. Cores grow back at one pace by as much as was worn off, and what
 * grew to enough free cells is a room. Distances are exact, in half cells, from a cell's centre
 * to the nearest edge of one that is not free.
 *
 * What stands free in a room and fits within a neck (a table, a post, a few cells that no ray
 * has met) would part a room in narrow places, so it wears nothing off.
 */
#include "belief.h"

#include <string.h>

enum { OTHER = 0, FREE = 1, FILLED = 2 };

typedef struct {
    uint8_t *cells; /* with a border of OTHER */
    int32_t *labels;
    int32_t *queue;
    int32_t n_rows; /* the border included */
    int32_t n_cols;
    int32_t size;
} plan;

static int32_t steps_around(const plan *p, int32_t k) {
    const int32_t row = k < 3 ? -1 : k < 5 ? 0 : 1;
    const int32_t col = k < 3 ? k - 1 : k == 3 ? -1 : k == 4 ? 1 : k - 6;
    return row * p->n_cols + col;
}

static bool is_on_border(const plan *p, int32_t i) {
    const int32_t row = i / p->n_cols;
    const int32_t col = i % p->n_cols;
    return row == 0 || col == 0 || row == p->n_rows - 1 || col == p->n_cols - 1;
}

/* Gathers the piece of cells of one kind and label 0 around a start, over eight neighbours,
 * and gives it a label. */
static int32_t gather(const plan *p, int32_t start, uint8_t kind, int32_t label) {
    int32_t n = 0;
    p->queue[n++] = start;
    p->labels[start] = label;
    for (int32_t k = 0; k < n; ++k) {
        if (is_on_border(p, p->queue[k])) {
            continue;
        }
        for (int32_t j = 0; j < 8; ++j) {
            const int32_t next = p->queue[k] + steps_around(p, j);
            if (p->cells[next] == kind && p->labels[next] == 0) {
                p->labels[next] = label;
                p->queue[n++] = next;
            }
        }
    }
    return n;
}

/* Fills what is not free, hangs together with nothing else and is shorter than a neck. */
static void fill_islands(const plan *p, int64_t neck_um) {
    for (int32_t i = 0; i < p->size; ++i) {
        if (p->cells[i] != OTHER || p->labels[i] != 0) {
            continue;
        }
        const int32_t n = gather(p, i, OTHER, 1);
        int32_t row0 = INT32_MAX;
        int32_t col0 = INT32_MAX;
        int32_t row1 = 0;
        int32_t col1 = 0;
        bool is_closed = true;
        for (int32_t k = 0; k < n; ++k) {
            const int32_t row = p->queue[k] / p->n_cols;
            const int32_t col = p->queue[k] % p->n_cols;
            row0 = row < row0 ? row : row0;
            col0 = col < col0 ? col : col0;
            row1 = row > row1 ? row : row1;
            col1 = col > col1 ? col : col1;
            is_closed = is_closed && !is_on_border(p, p->queue[k]);
        }
        const int64_t height_um = (int64_t)(row1 - row0 + 1) * KW_BELIEF_COPY_CELL_UM;
        const int64_t width_um = (int64_t)(col1 - col0 + 1) * KW_BELIEF_COPY_CELL_UM;
        if (is_closed && height_um < neck_um && width_um < neck_um) {
            for (int32_t k = 0; k < n; ++k) {
                p->cells[p->queue[k]] = FILLED;
            }
        }
    }
    memset(p->labels, 0, (size_t)p->size * sizeof *p->labels);
}

/* Of each cell, along its column: half cells from its centre to the edge of the nearest other
 * cell, up to most; 0 in one. */
static void measure_columns(const plan *p, int32_t most, int32_t *out) {
    for (int32_t col = 0; col < p->n_cols; ++col) {
        for (int32_t pass = 0; pass < 2; ++pass) {
            int32_t cells = most; /* since another */
            for (int32_t k = 0; k < p->n_rows; ++k) {
                const int32_t row = pass == 0 ? k : p->n_rows - 1 - k;
                const int32_t i = row * p->n_cols + col;
                cells = p->cells[i] == OTHER ? 0 : cells + 1;
                const int32_t halves = cells == 0 ? 0 : 2 * cells - 1;
                const int32_t held = halves < most ? halves : most;
                out[i] = pass == 0 || held < out[i] ? held : out[i];
                cells = cells < most ? cells : most;
            }
        }
    }
}

/* Whether a cell's centre is at least reach half cells (its square given) from others. */
static bool is_core(const plan *p, const int32_t *columns, int32_t row, int32_t col,
                    int32_t n_beside, int64_t reach_squared) {
    for (int32_t k = -n_beside; k <= n_beside; ++k) {
        const int32_t c = col + k;
        if (c < 0 || c >= p->n_cols) {
            continue;
        }
        const int64_t across = k == 0 ? 0 : 2 * (k < 0 ? -k : k) - 1;
        const int64_t along = columns[row * p->n_cols + c];
        if (across * across + along * along < reach_squared) {
            return false;
        }
    }
    return true;
}

/* Wears the free space off: marks cores in out_core. */
static void wear_off(const plan *p, int64_t neck_um, int32_t *columns, uint8_t *out_core) {
    /* in half cells a neck is half as wide as in cells: neck / 2 / (cell / 2) */
    const int64_t cell_um = KW_BELIEF_COPY_CELL_UM;
    const int64_t reach_squared = (neck_um * neck_um + cell_um * cell_um - 1) / (cell_um * cell_um);
    const int32_t most = (int32_t)(neck_um / cell_um) + 2;
    measure_columns(p, most, columns);
    for (int32_t row = 0; row < p->n_rows; ++row) {
        for (int32_t col = 0; col < p->n_cols; ++col) {
            const int32_t i = row * p->n_cols + col;
            out_core[i] =
                p->cells[i] != OTHER && is_core(p, columns, row, col, most / 2 + 1, reach_squared);
        }
    }
}

/* Gives each core a label; returns how many. */
static int32_t label_cores(const plan *p, uint8_t *core) {
    const plan cores = {core, p->labels, p->queue, p->n_rows, p->n_cols, p->size};
    int32_t n = 0;
    for (int32_t i = 0; i < p->size; ++i) {
        if (core[i] != 0 && p->labels[i] == 0) {
            (void)gather(&cores, i, 1, ++n);
        }
    }
    return n;
}

/* Grows all labels at one pace over what is not other, n_steps over eight neighbours. What two
 * reach at once goes to the one whose cell is earlier in the queue. */
static void grow_back(const plan *p, int32_t n_steps) {
    int32_t n = 0;
    for (int32_t i = 0; i < p->size; ++i) {
        if (p->labels[i] != 0) {
            p->queue[n++] = i;
        }
    }
    int32_t first = 0;
    for (int32_t step = 0; step < n_steps; ++step) {
        const int32_t last = n;
        for (; first < last; ++first) {
            for (int32_t j = 0; j < 8; ++j) {
                const int32_t next = p->queue[first] + steps_around(p, j);
                if (p->cells[next] != OTHER && p->labels[next] == 0) {
                    p->labels[next] = p->labels[p->queue[first]];
                    p->queue[n++] = next;
                }
            }
        }
    }
}

/* Numbers the rooms of enough free cells by their lowest cell. counts[n] and numbers[n]. */
static int32_t number_rooms(const plan *p, int32_t n, int32_t least_cells, int32_t *counts,
                            int32_t *numbers) {
    memset(counts, 0, (size_t)n * sizeof *counts);
    memset(numbers, 0, (size_t)n * sizeof *numbers);
    for (int32_t i = 0; i < p->size; ++i) {
        p->labels[i] = p->cells[i] == FREE ? p->labels[i] : 0;
        if (p->labels[i] != 0) {
            counts[p->labels[i] - 1] += 1;
        }
    }
    int32_t n_rooms = 0;
    for (int32_t i = 0; i < p->size; ++i) {
        const int32_t label = p->labels[i];
        if (label != 0 && numbers[label - 1] == 0 && counts[label - 1] >= least_cells) {
            numbers[label - 1] = ++n_rooms;
        }
    }
    return n_rooms;
}

/* Labels without the border, and each room's cells. */
static void write_rooms(const plan *p, int32_t n, const int32_t *counts, const int32_t *numbers,
                        int32_t *out_cells) {
    for (int32_t i = 0; i < n; ++i) {
        if (numbers[i] != 0) {
            out_cells[numbers[i] - 1] = counts[i];
        }
    }
    int32_t *out = p->labels;
    for (int32_t row = 1; row < p->n_rows - 1; ++row) {
        for (int32_t col = 1; col < p->n_cols - 1; ++col) {
            const int32_t label = p->labels[row * p->n_cols + col];
            *out++ = label == 0 ? 0 : numbers[label - 1];
        }
    }
}

static kw_status lay_out(kw_belief *belief, kw_belief_box *out_box, plan *out_plan) {
    plan p;
    *out_box = kw_copy_observed(belief);
    const kw_status status = kw_belief_flatten(belief, *out_box, &p.cells, &p.n_cols);
    p.n_rows = out_box->n_rows + 2;
    const int64_t size = (int64_t)p.n_rows * p.n_cols;
    if (status != KW_OK || kw_buffer_grow(&belief->marks, size) != KW_OK ||
        kw_buffer_grow(&belief->labels, size * 4) != KW_OK ||
        kw_buffer_grow(&belief->queue, size * 4) != KW_OK) {
        return KW_NO_MEMORY;
    }
    p.size = (int32_t)size;
    p.labels = belief->labels.bytes;
    p.queue = belief->queue.bytes;
    memset(p.labels, 0, (size_t)size * 4);
    for (int32_t i = 0; i < p.size; ++i) {
        p.cells[i] = p.cells[i] == KW_COPY_FREE ? FREE : OTHER;
    }
    *out_plan = p;
    return KW_OK;
}

kw_status kw_belief_find_rooms(kw_belief *belief, int32_t neck_um, int32_t least_cells,
                               kw_belief_rooms *out_rooms) {
    if (neck_um < 0 || neck_um > 4000000 || least_cells < 1) {
        return KW_BAD_ARGUMENT;
    }
    kw_belief_box box;
    plan p;
    if (lay_out(belief, &box, &p) != KW_OK) {
        return KW_NO_MEMORY;
    }
    fill_islands(&p, neck_um);
    wear_off(&p, neck_um, p.queue, belief->marks.bytes);
    const int32_t n = label_cores(&p, belief->marks.bytes);
    grow_back(&p, (neck_um / 2 + KW_BELIEF_COPY_CELL_UM - 1) / KW_BELIEF_COPY_CELL_UM);
    if (kw_buffer_grow(&belief->rooms, (int64_t)(3 * n + 1) * 4) != KW_OK) {
        return KW_NO_MEMORY;
    }
    int32_t *counts = belief->rooms.bytes;
    int32_t *cells = counts + 2 * (int64_t)n;
    const int32_t n_rooms = number_rooms(&p, n, least_cells, counts, counts + n);
    write_rooms(&p, n, counts, counts + n, cells);
    *out_rooms = (kw_belief_rooms){n_rooms, box, p.labels, cells};
    return KW_OK;
}
