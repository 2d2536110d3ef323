/* Frontiers (Yamauchi 1997) of a belief's copy: free cells beside what was never seen.
 *
 * Fringe cells, seen but not yet often enough to be free, stand between the free cells and the
 * open ones wherever the shell has just come by. So the open ones are first spread over the
 * fringe that hangs together with them; else a map would seem complete while its border is
 * still being decided.
 *
 * A wall's own noise makes a few of the cells at its face flip, and these relax. They are no
 * news: what has changed and was forgotten is open only where no wall stands beside it.
 */
#include "belief.h"

#include <string.h>

#include "common/machine.h"

typedef struct {
    uint8_t *cells; /* with a border of one cell */
    uint8_t *marks; /* 1: a frontier cell, not yet in a cluster */
    int32_t *queue;
    kw_belief_box box;
    int32_t stride;
} field;

KW_CLONES static int32_t mark_row(const uint8_t *restrict cells, int32_t n, int32_t stride,
                                  uint8_t of, uint8_t *restrict out) {
    const uint8_t *above = cells + stride;
    const uint8_t *below = cells - stride;
    uint8_t any = 0;
    for (int32_t i = 0; i < n; ++i) {
        const uint8_t beside =
            (uint8_t)((cells[i - 1] == KW_COPY_OPEN) | (cells[i + 1] == KW_COPY_OPEN) |
                      (above[i] == KW_COPY_OPEN) | (below[i] == KW_COPY_OPEN));
        out[i] = (uint8_t)((cells[i] == of) & beside);
        any |= out[i];
    }
    return any;
}

/* Marks the cells of one kind that stand beside an open one. */
static void mark(const field *f, uint8_t of) {
    for (int32_t row = 0; row < f->box.n_rows; ++row) {
        const int64_t at = (int64_t)(row + 1) * f->stride + 1;
        (void)mark_row(f->cells + at, f->box.n_cols, f->stride, of, f->marks + at);
    }
}

static bool is_by_a_wall(const field *f, const uint8_t *cell) {
    const uint8_t *above = cell + f->stride;
    const uint8_t *below = cell - f->stride;
    return cell[-1] == KW_COPY_OCCUPIED || cell[1] == KW_COPY_OCCUPIED ||
           memchr(above - 1, KW_COPY_OCCUPIED, 3) != NULL ||
           memchr(below - 1, KW_COPY_OCCUPIED, 3) != NULL;
}

static void open_relaxed(const field *f) {
    for (int32_t row = 0; row < f->box.n_rows; ++row) {
        uint8_t *cell = f->cells + (int64_t)(row + 1) * f->stride + 1;
        const uint8_t *end = cell + f->box.n_cols;
        while ((cell = memchr(cell, KW_COPY_RELAXED, (size_t)(end - cell))) != NULL) {
            *cell = is_by_a_wall(f, cell) ? KW_COPY_UNDECIDED : KW_COPY_OPEN;
            cell += 1;
        }
    }
}

static void spread_over_fringe(const field *f) {
    mark(f, KW_COPY_FRINGE);
    int32_t n = 0;
    const int32_t size = (f->box.n_rows + 2) * f->stride;
    for (int32_t i = 0; i < size; ++i) {
        if (f->marks[i] != 0) {
            f->marks[i] = 0;
            f->cells[i] = KW_COPY_OPEN;
            f->queue[n++] = i;
        }
    }
    const int32_t beside[4] = {-f->stride, -1, 1, f->stride};
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t j = 0; j < 4; ++j) {
            const int32_t next = f->queue[k] + beside[j];
            if (f->cells[next] == KW_COPY_FRINGE) {
                f->cells[next] = KW_COPY_OPEN;
                f->queue[n++] = next;
            }
        }
    }
}

/* Gathers the cluster of a marked cell at the end of the queue; returns how many cells. */
static int32_t gather(const field *f, int32_t start, int32_t *out_cells) {
    const int32_t around[8] = {-f->stride - 1, -f->stride, -f->stride + 1, -1, 1,
                               f->stride - 1,  f->stride,  f->stride + 1};
    int32_t n = 0;
    f->marks[start] = 0;
    out_cells[n++] = start;
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t j = 0; j < 8; ++j) {
            const int32_t next = out_cells[k] + around[j];
            if (f->marks[next] != 0) {
                f->marks[next] = 0;
                out_cells[n++] = next;
            }
        }
    }
    return n;
}

/* The cluster of cells by index of the field. */
static kw_belief_cluster describe(const field *f, int32_t n, const int32_t *cells) {
    int32_t row0 = INT32_MAX;
    int32_t col0 = INT32_MAX;
    int32_t row1 = 0;
    int32_t col1 = 0;
    int64_t sum_row = 0;
    int64_t sum_col = 0;
    for (int32_t i = 0; i < n; ++i) {
        const int32_t row = cells[i] / f->stride;
        const int32_t col = cells[i] % f->stride;
        row0 = row < row0 ? row : row0;
        col0 = col < col0 ? col : col0;
        row1 = row > row1 ? row : row1;
        col1 = col > col1 ? col : col1;
        sum_row += row;
        sum_col += col;
    }
    int32_t middle = cells[0];
    int64_t least = INT64_MAX;
    for (int32_t i = 0; i < n; ++i) {
        const int64_t row = (int64_t)n * (cells[i] / f->stride) - sum_row;
        const int64_t col = (int64_t)n * (cells[i] % f->stride) - sum_col;
        const int64_t off = row * row + col * col;
        if (off < least || (off == least && cells[i] < middle)) {
            least = off;
            middle = cells[i];
        }
    }
    const int32_t row_shift = f->box.row0 - 1;
    const int32_t col_shift = f->box.col0 - 1;
    return (kw_belief_cluster){
        .n = n,
        .box = {row0 + row_shift, col0 + col_shift, row1 - row0 + 1, col1 - col0 + 1},
        .row = middle / f->stride + row_shift,
        .col = middle % f->stride + col_shift,
    };
}

static bool is_wide(const kw_belief_cluster *cluster, int32_t narrowest_um) {
    const int64_t height_um = (int64_t)cluster->box.n_rows * KW_BELIEF_COPY_CELL_UM;
    const int64_t width_um = (int64_t)cluster->box.n_cols * KW_BELIEF_COPY_CELL_UM;
    return height_um * height_um + width_um * width_um >= (int64_t)narrowest_um * narrowest_um;
}

/* Appends a cluster to the belief's buffers. */
static kw_status keep(kw_belief *belief, const field *f, kw_belief_cluster cluster,
                      const int32_t *cells, kw_belief_frontiers *found) {
    const int64_t n = (int64_t)found->n_cells + cluster.n;
    if (kw_buffer_grow(&belief->rows, n * 4) != KW_OK ||
        kw_buffer_grow(&belief->cols, n * 4) != KW_OK ||
        kw_buffer_grow(&belief->clusters,
                       (int64_t)(found->n_clusters + 1) * (int64_t)sizeof cluster) != KW_OK) {
        return KW_NO_MEMORY;
    }
    cluster.first = found->n_cells;
    int32_t *rows = (int32_t *)belief->rows.bytes + found->n_cells;
    int32_t *cols = (int32_t *)belief->cols.bytes + found->n_cells;
    for (int32_t i = 0; i < cluster.n; ++i) {
        rows[i] = cells[i] / f->stride + f->box.row0 - 1;
        cols[i] = cells[i] % f->stride + f->box.col0 - 1;
    }
    ((kw_belief_cluster *)belief->clusters.bytes)[found->n_clusters] = cluster;
    found->n_clusters += 1;
    found->n_cells += cluster.n;
    return KW_OK;
}

kw_status kw_belief_find_frontiers(kw_belief *belief, int32_t narrowest_um,
                                   kw_belief_frontiers *out_frontiers) {
    if (narrowest_um < 0) {
        return KW_BAD_ARGUMENT;
    }
    field f = {.box = kw_copy_made(belief)}; /* beyond all tiles there is no free cell */
    if (kw_belief_flatten(belief, f.box, &f.cells, &f.stride) != KW_OK) {
        return KW_NO_MEMORY;
    }
    const int64_t size = (int64_t)(f.box.n_rows + 2) * f.stride;
    if (kw_buffer_grow(&belief->marks, size) != KW_OK ||
        kw_buffer_grow(&belief->queue, size * 4) != KW_OK) {
        return KW_NO_MEMORY;
    }
    f.marks = belief->marks.bytes;
    f.queue = belief->queue.bytes;
    for (int64_t i = 0; i < size; ++i) {
        f.marks[i] = 0;
    }
    open_relaxed(&f);
    spread_over_fringe(&f);
    mark(&f, KW_COPY_FREE);
    kw_belief_frontiers found = {0};
    for (int32_t i = 0; i < size; ++i) {
        if (f.marks[i] == 0) {
            continue;
        }
        const int32_t n = gather(&f, i, f.queue);
        const kw_belief_cluster cluster = describe(&f, n, f.queue);
        if (is_wide(&cluster, narrowest_um) &&
            keep(belief, &f, cluster, f.queue, &found) != KW_OK) {
            return KW_NO_MEMORY;
        }
    }
    found.clusters = belief->clusters.bytes;
    found.rows = belief->rows.bytes;
    found.cols = belief->cols.bytes;
    *out_frontiers = found;
    return KW_OK;
}
