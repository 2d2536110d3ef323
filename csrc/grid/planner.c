/* The planner's world: states, distances and prices of cells, kept up to date, and the
 * lattice's searches over them.
 *
 * The lattice is allocated larger than the world, so that most growth only opens cells that
 * are there. What changed is gathered in a few boxes and done anew when next asked for.
 */
#include "grid/planner.h"

#include <stdlib.h>
#include <string.h>

#define SLACK 64 /* cells allocated beyond the world's edge where it grows; a quarter at least */

/* ---- Creation ---- */

static bool are_prices(const kw_prices *prices) {
    return prices->n_distances >= 2 && prices->n_distances <= KW_DISTANCES_MOST &&
           prices->free[0] == 0 && prices->unknown[0] == 0 &&
           prices->unknown[prices->n_distances] == 0 &&
           prices->unknown[2 * prices->n_distances] == 0 && prices->leaving >= 1 &&
           prices->leaving <= 255;
}

/* The least and the greatest price above 0, for the bounds of searches. */
static void find_bounds(kw_planner *planner) {
    const int32_t n = planner->n_distances;
    const uint8_t *rows[2] = {planner->free_prices, planner->unknown_prices + planner->unknown * n};
    int32_t least = 255;
    int32_t unseen = 255;
    int32_t most = 1;
    for (int32_t i = 0; i < 2 * n; i++) {
        const uint8_t price = rows[i / n][i % n];
        least = price != 0 && price < least ? price : least;
        most = price > most ? price : most;
        unseen = i >= n && price != 0 && price < unseen ? price : unseen;
    }
    planner->lattice.least_price = least;
    planner->lattice.unseen_price = unseen;
    planner->lattice.most_price = most;
}

kw_status kw_planner_create(const kw_prices *prices, kw_planner **out_planner) {
    if (!are_prices(prices)) {
        return KW_BAD_ARGUMENT;
    }
    const size_t n = (size_t)prices->n_distances;
    kw_planner *planner = calloc(1, sizeof *planner);
    if (planner == NULL) {
        return KW_NO_MEMORY;
    }
    planner->free_prices = malloc(n);
    planner->unknown_prices = malloc(KW_UNKNOWN_PRICES * n);
    if (planner->free_prices == NULL || planner->unknown_prices == NULL) {
        kw_planner_destroy(planner);
        return KW_NO_MEMORY;
    }
    memcpy(planner->free_prices, prices->free, n);
    memcpy(planner->unknown_prices, prices->unknown, KW_UNKNOWN_PRICES * n);
    planner->n_distances = prices->n_distances;
    planner->reach = kw_distance_reach(KW_FROM_CENTRES, prices->n_distances - 1);
    planner->unknown = KW_UNKNOWN_NORMAL;
    planner->world = KW_NO_BOX;
    planner->lattice.leaving = prices->leaving;
    find_bounds(planner);
    *out_planner = planner;
    return KW_OK;
}

void kw_planner_destroy(kw_planner *planner) {
    if (planner != NULL) {
        kw_lattice_free(&planner->lattice);
        kw_distance_free(&planner->scratch);
        free(planner->free_prices);
        free(planner->unknown_prices);
        free(planner);
    }
}

int64_t kw_planner_bytes(const kw_planner *planner) {
    return (int64_t)sizeof *planner + (1 + KW_UNKNOWN_PRICES) * (int64_t)planner->n_distances +
           kw_lattice_bytes(&planner->lattice) + kw_distance_bytes(&planner->scratch);
}

/* ---- The world and what is in it ---- */

static kw_box window(const kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                     int32_t n_cols) {
    const int32_t row_low = row - planner->row;
    const int32_t col_low = col - planner->col;
    return (kw_box){row_low, row_low + n_rows - 1, col_low, col_low + n_cols - 1};
}

static bool is_on_lattice(int32_t first, int32_t n) {
    return first >= -KW_LATTICE_MOST && n >= 1 && n <= KW_GRID_SIDE_MOST &&
           first <= KW_LATTICE_MOST - n;
}

bool kw_planner_holds(const kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                      int32_t n_cols) {
    if (kw_box_is_empty(planner->world) || !is_on_lattice(row, n_rows) ||
        !is_on_lattice(col, n_cols)) {
        return false;
    }
    const kw_box box = window(planner, row, col, n_rows, n_cols);
    const kw_box *world = &planner->world;
    return box.row_low >= world->row_low && box.row_high <= world->row_high &&
           box.col_low >= world->col_low && box.col_high <= world->col_high;
}

static int32_t slack(int32_t n) {
    return n / 4 > SLACK ? n / 4 : SLACK;
}

/* Allocates anew so that the box fits, with room to spare on the sides where it did not. */
static kw_status allocate(kw_planner *planner, kw_box *box) {
    kw_lattice *lattice = &planner->lattice;
    const kw_box old = planner->world;
    kw_box room = *box;
    const int32_t rows = slack(box->row_high - box->row_low + 1);
    const int32_t cols = slack(box->col_high - box->col_low + 1);
    room.row_low -= box->row_low < 1 ? rows : box->row_low - 1;
    room.row_high += box->row_high > lattice->n_rows ? rows : lattice->n_rows - box->row_high;
    room.col_low -= box->col_low < 1 ? cols : box->col_low - 1;
    room.col_high += box->col_high > lattice->n_cols ? cols : lattice->n_cols - box->col_high;
    int64_t n_rows = (int64_t)room.row_high - room.row_low + 1;
    int64_t n_cols = (int64_t)room.col_high - room.col_low + 1;
    if (n_rows > KW_GRID_SIDE_MOST || n_cols > KW_GRID_SIDE_MOST ||
        n_rows * n_cols > KW_GRID_CELLS_MOST) { /* no room to spare: just what is asked for */
        room = *box;
        n_rows = (int64_t)room.row_high - room.row_low + 1;
        n_cols = (int64_t)room.col_high - room.col_low + 1;
        if (n_rows > KW_GRID_SIDE_MOST || n_cols > KW_GRID_SIDE_MOST ||
            n_rows * n_cols > KW_GRID_CELLS_MOST) {
            return KW_BAD_ARGUMENT;
        }
    }
    kw_lattice_forget(lattice);
    uint8_t *marks = lattice->marks;
    const int32_t stride = lattice->stride;
    lattice->marks = NULL;
    const kw_status status = kw_lattice_size(lattice, (int32_t)n_rows, (int32_t)n_cols);
    if (status != KW_OK) {
        lattice->marks = marks;
        return status;
    }
    const int32_t up = 1 - room.row_low; /* from the old count to the new */
    const int32_t right = 1 - room.col_low;
    memset(lattice->marks, KW_MARK_SOLID, (size_t)(n_rows + 2) * (size_t)lattice->stride);
    for (int32_t row = old.row_low; row <= old.row_high; row++) {
        memcpy(lattice->marks + kw_lattice_at(lattice, row + up, old.col_low + right),
               marks + (int64_t)row * stride + old.col_low,
               (size_t)old.col_high - (size_t)old.col_low + 1);
    }
    free(marks);
    planner->row -= up;
    planner->col -= right;
    if (!kw_box_is_empty(old)) {
        planner->world = (kw_box){old.row_low + up, old.row_high + up, old.col_low + right,
                                  old.col_high + right};
        planner->changed = (kw_boxes){.boxes = {planner->world}, .n = 1};
    }
    *box = (kw_box){box->row_low + up, box->row_high + up, box->col_low + right,
                    box->col_high + right};
    return KW_OK;
}

/* A box's distances must be found anew, and those of what lies within reach. */
static void note_change(kw_planner *planner, kw_box box) {
    kw_boxes_add(&planner->changed, box, 2 * planner->reach);
}

/* Opens the cells of a box that are not yet of the world. */
static void open_cells(kw_planner *planner, kw_box box) {
    for (int32_t row = box.row_low; row <= box.row_high; row++) {
        uint8_t *marks = planner->lattice.marks + kw_lattice_at(&planner->lattice, row, 0);
        for (int32_t col = box.col_low; col <= box.col_high; col++) {
            marks[col] = marks[col] == KW_MARK_SOLID ? 0 : marks[col];
        }
    }
    note_change(planner, box);
}

kw_status kw_planner_cover(kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                           int32_t n_cols) {
    if (!is_on_lattice(row, n_rows) || !is_on_lattice(col, n_cols)) {
        return KW_BAD_ARGUMENT;
    }
    if (kw_planner_holds(planner, row, col, n_rows, n_cols)) {
        return KW_OK;
    }
    if (kw_box_is_empty(planner->world)) {
        planner->row = row - 1;
        planner->col = col - 1;
    }
    kw_box box = kw_box_join(planner->world, window(planner, row, col, n_rows, n_cols));
    const kw_box room = {1, planner->lattice.n_rows, 1, planner->lattice.n_cols};
    if (box.row_low < room.row_low || box.row_high > room.row_high || box.col_low < room.col_low ||
        box.col_high > room.col_high) {
        const kw_status status = allocate(planner, &box);
        if (status != KW_OK) {
            return status;
        }
    }
    const kw_box old = planner->world;
    planner->world = box;
    planner->all_reached = false;
    if (kw_box_is_empty(old)) {
        open_cells(planner, box);
        return KW_OK;
    }
    const kw_box strips[4] = {
        {box.row_low, old.row_low - 1, box.col_low, box.col_high},
        {old.row_high + 1, box.row_high, box.col_low, box.col_high},
        {old.row_low, old.row_high, box.col_low, old.col_low - 1},
        {old.row_low, old.row_high, old.col_high + 1, box.col_high},
    };
    for (int32_t i = 0; i < 4; i++) {
        if (!kw_box_is_empty(strips[i])) {
            open_cells(planner, strips[i]);
        }
    }
    return KW_OK;
}

void kw_planner_box(const kw_planner *planner, int32_t *out_box) {
    const kw_box *world = &planner->world;
    const bool empty = kw_box_is_empty(*world);
    out_box[0] = empty ? 0 : world->row_low + planner->row;
    out_box[1] = empty ? 0 : world->col_low + planner->col;
    out_box[2] = empty ? 0 : world->row_high - world->row_low + 1;
    out_box[3] = empty ? 0 : world->col_high - world->col_low + 1;
}

static uint8_t price_of(const kw_planner *planner, uint8_t mark, int32_t distance) {
    if ((mark & KW_MARK_SOLID) != 0) {
        return 0;
    }
    const uint8_t *prices = (mark & KW_MARK_FREE) != 0
                                ? planner->free_prices
                                : planner->unknown_prices + planner->unknown * planner->n_distances;
    return prices[distance];
}

static void set_state(kw_planner *planner, int32_t row, int32_t col, uint8_t state) {
    static const uint8_t marks[] = {
        [KW_CELL_UNKNOWN] = 0,
        [KW_CELL_FREE] = KW_MARK_FREE,
        [KW_CELL_OCCUPIED] = KW_MARK_OCCUPIED | KW_MARK_SOLID,
    };
    const int32_t cell = kw_lattice_at(&planner->lattice, row, col);
    uint8_t *mark = &planner->lattice.marks[cell];
    const uint8_t kept = *mark & KW_MARK_SOURCE;
    if (((*mark ^ marks[state]) & KW_MARK_OCCUPIED) != 0) {
        note_change(planner, (kw_box){row, row, col, col});
    }
    *mark = marks[state] | kept;
    kw_node *node = &planner->lattice.nodes[cell];
    node->price = price_of(planner, *mark, node->extra);
}

kw_status kw_planner_set_cells(kw_planner *planner, int32_t n, const int32_t *rows,
                               const int32_t *cols, const uint8_t *states) {
    bool good = n >= 0;
    for (int32_t i = 0; good && i < n; i++) {
        good = states[i] <= KW_CELL_OCCUPIED && kw_planner_holds(planner, rows[i], cols[i], 1, 1);
    }
    if (!good) {
        return KW_BAD_ARGUMENT;
    }
    planner->all_reached = planner->all_reached && n == 0;
    for (int32_t i = 0; i < n; i++) {
        set_state(planner, rows[i] - planner->row, cols[i] - planner->col, states[i]);
    }
    return KW_OK;
}

kw_status kw_planner_set_window(kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                                int32_t n_cols, const uint8_t *states) {
    bool good = kw_planner_holds(planner, row, col, n_rows, n_cols);
    for (int64_t i = 0; good && i < (int64_t)n_rows * n_cols; i++) {
        good = states[i] <= KW_CELL_OCCUPIED;
    }
    if (!good) {
        return KW_BAD_ARGUMENT;
    }
    planner->all_reached = false;
    const kw_box box = window(planner, row, col, n_rows, n_cols);
    for (int32_t i = box.row_low; i <= box.row_high; i++) {
        for (int32_t j = box.col_low; j <= box.col_high; j++) {
            set_state(planner, i, j, *states++);
        }
    }
    return KW_OK;
}

/* ---- Keeping distances, prices and moves up to date ---- */

typedef struct {
    kw_planner *planner;
    kw_box box;
} renewal;

static void price_row(void *to, int32_t row, const int16_t *distances) {
    kw_planner *planner = ((renewal *)to)->planner;
    const kw_box box = ((renewal *)to)->box;
    const int32_t first = kw_lattice_at(&planner->lattice, row, box.col_low);
    kw_node *nodes = planner->lattice.nodes + first;
    const uint8_t *marks = planner->lattice.marks + first;
    for (int32_t i = 0; i <= box.col_high - box.col_low; i++) {
        nodes[i].extra = (uint16_t)distances[i];
        nodes[i].price = price_of(planner, marks[i], distances[i]);
    }
}

static void price_all(kw_planner *planner) {
    const kw_box box = planner->world;
    for (int32_t row = box.row_low; row <= box.row_high; row++) {
        kw_node *nodes = planner->lattice.nodes + kw_lattice_at(&planner->lattice, row, 0);
        const uint8_t *marks = planner->lattice.marks + kw_lattice_at(&planner->lattice, row, 0);
        for (int32_t col = box.col_low; col <= box.col_high; col++) {
            nodes[col].price = price_of(planner, marks[col], nodes[col].extra);
        }
    }
}

static kw_status renew(kw_planner *planner, kw_box changed) {
    renewal at = {planner, kw_box_grow(changed, planner->reach, planner->world)};
    const kw_status status = kw_distance_find(
        &planner->scratch, KW_FROM_CENTRES, planner->lattice.marks, planner->lattice.stride,
        KW_MARK_OCCUPIED, planner->world, at.box, planner->n_distances - 1, price_row, &at);
    if (status == KW_OK) {
        kw_lattice_connect(&planner->lattice, kw_box_grow(at.box, 1, planner->world));
    }
    return status;
}

kw_status kw_planner_refresh(kw_planner *planner, int32_t unknown) {
    if (unknown != planner->unknown) {
        planner->unknown = unknown;
        planner->all_reached = false;
        find_bounds(planner);
        price_all(planner);
    }
    kw_status status = KW_OK;
    kw_boxes *changed = &planner->changed;
    while (status == KW_OK && changed->n > 0) {
        status = renew(planner, changed->boxes[changed->n - 1]);
        changed->n -= status == KW_OK; /* if memory ran out, what is left is done next time */
    }
    return status;
}

kw_status kw_planner_read(kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                          int32_t n_cols, int32_t unknown, uint8_t *out_states,
                          uint16_t *out_distances, uint8_t *out_prices) {
    if (!kw_planner_holds(planner, row, col, n_rows, n_cols) || unknown < 0 ||
        unknown >= KW_UNKNOWN_PRICES) {
        return KW_BAD_ARGUMENT;
    }
    const kw_status status = kw_planner_refresh(planner, unknown);
    if (status != KW_OK) {
        return status;
    }
    const kw_box box = window(planner, row, col, n_rows, n_cols);
    int64_t n = 0;
    for (int32_t i = box.row_low; i <= box.row_high; i++) {
        for (int32_t j = box.col_low; j <= box.col_high; j++, n++) {
            const int32_t cell = kw_lattice_at(&planner->lattice, i, j);
            const uint8_t mark = planner->lattice.marks[cell];
            if (out_states != NULL) {
                out_states[n] = (uint8_t)((mark & KW_MARK_OCCUPIED) != 0 ? KW_CELL_OCCUPIED
                                          : (mark & KW_MARK_FREE) != 0   ? KW_CELL_FREE
                                                                         : KW_CELL_UNKNOWN);
            }
            if (out_distances != NULL) {
                out_distances[n] = planner->lattice.nodes[cell].extra;
            }
            if (out_prices != NULL) {
                out_prices[n] = planner->lattice.nodes[cell].price;
            }
        }
    }
    return KW_OK;
}
