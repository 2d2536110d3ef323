#include "grid/way.h"

#include <stdlib.h>
#include <string.h>

kw_status kw_way_create(kw_way **out_way) {
    kw_way *way = calloc(1, sizeof *way);
    if (way == NULL) {
        return KW_NO_MEMORY;
    }
    *out_way = way;
    return KW_OK;
}

void kw_way_destroy(kw_way *way) {
    if (way != NULL) {
        free(way->marks);
        free(way->floods[0].items);
        free(way->floods[1].items);
        free(way->walls.items);
        kw_distance_free(&way->scratch);
        free(way->next);
        free(way->clearance);
        free(way->heads.items);
        free(way->tails.items);
        free(way->points.items);
        free(way);
    }
}

static bool is_inside(const kw_way_query *query, int32_t row, int32_t col) {
    return row >= 0 && row < query->n_rows && col >= 0 && col < query->n_cols;
}

kw_status kw_way_check(const kw_way_query *query) {
    bool good = query->n_rows >= 1 && query->n_cols >= 1 && query->n_rows <= KW_GRID_SIDE_MOST &&
                query->n_cols <= KW_GRID_SIDE_MOST &&
                (int64_t)query->n_rows * query->n_cols <= KW_GRID_CELLS_MOST &&
                is_inside(query, query->start_row, query->start_col) && query->n_goals >= 1;
    for (int32_t i = 0; good && i < query->n_goals; i++) {
        good = is_inside(query, query->goal_rows[i], query->goal_cols[i]);
    }
    for (int64_t i = 0; good && i < (int64_t)query->n_rows * query->n_cols; i++) {
        good = query->states[i] <= KW_CELL_OCCUPIED;
    }
    return good ? KW_OK : KW_BAD_ARGUMENT;
}

kw_status kw_way_size_marks(kw_way *way, int64_t n) {
    if (n > way->marks_capacity) {
        uint8_t *marks = realloc(way->marks, (size_t)n);
        if (marks == NULL) {
            return KW_NO_MEMORY;
        }
        way->marks = marks;
        way->marks_capacity = n;
    }
    memset(way->marks, 0, (size_t)n);
    return KW_OK;
}
