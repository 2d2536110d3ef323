/* Lays worlds of a little generator, plans, floods and measures ways through them, and prints
 * a hash of every figure, so that builds and processors can be compared. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kw_planner.h"
#include "kw_way.h"

#define SIDE 150
#define WORLDS 12
#define N_DISTANCES 308

static uint64_t hash = 0xcbf29ce484222325u;
static uint64_t state = 1;

/* FNV-1a over the bytes of a word, lowest first on every machine. */
static void add(int64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
        hash = (hash ^ ((uint64_t)value >> shift & 0xff)) * 0x100000001b3u;
    }
}

static int32_t draw(int32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint64_t)n);
}

static void check(kw_status status) {
    if (status != KW_OK) {
        printf("status %d\n", (int)status);
        exit(3);
    }
}

static void add_route(const kw_planner *planner, const kw_route *route) {
    add(route->outcome);
    add(route->closed_side);
    add(route->goal);
    add(route->n_leaving);
    add(route->expanded);
    add(route->cost);
    add(route->known_length);
    add(route->unknown_length);
    if (route->outcome == KW_FOUND) {
        int32_t *cells = malloc(2 * (size_t)route->n_cells * sizeof *cells);
        kw_planner_cells(planner, cells);
        for (int32_t i = 0; i < 2 * route->n_cells; i++) {
            add(cells[i]);
        }
        free(cells);
    }
}

static void lay(kw_planner *planner, uint8_t *states) {
    const int32_t row = draw(1000) - 500;
    const int32_t col = draw(1000) - 500;
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        const int32_t drawn = draw(200);
        states[i] = (uint8_t)(drawn < 2    ? KW_CELL_OCCUPIED
                              : drawn < 60 ? KW_CELL_UNKNOWN
                                           : KW_CELL_FREE);
    }
    check(kw_planner_cover(planner, row, col, SIDE, SIDE));
    check(kw_planner_set_window(planner, row, col, SIDE, SIDE, states));
    for (int32_t i = 0; i < 6; i++) {
        int32_t rows[3]; /* of the start and two goals; one draw a statement, as their order */
        int32_t cols[3]; /* within one is the compiler's */
        for (int32_t j = 0; j < 3; j++) {
            rows[j] = row + draw(SIDE);
            cols[j] = col + draw(SIDE);
        }
        kw_route route;
        check(kw_planner_plan(planner, rows[0], cols[0], 2, rows + 1, cols + 1, i % 3,
                              i == 5 ? 900 : 1000000, &route));
        add_route(planner, &route);
    }
}

static void find_ways(kw_way *way, const uint8_t *states) {
    int32_t drawn[4];
    for (int32_t i = 0; i < 4; i++) {
        drawn[i] = draw(SIDE);
    }
    const kw_way_query query = {.n_rows = SIDE,
                                .n_cols = SIDE,
                                .states = states,
                                .start_row = drawn[0],
                                .start_col = drawn[1],
                                .n_goals = 1,
                                .goal_rows = &drawn[2],
                                .goal_cols = &drawn[3]};
    kw_point_way point;
    kw_widest_way widest;
    check(kw_way_point(way, &query, &point));
    check(kw_way_widest(way, &query, 40, 3, &widest));
    add(point.joined);
    add(point.n_start);
    add(point.n_goal);
    add(widest.clearance);
    add(widest.n_points);
    add(widest.narrowest);
    for (int32_t i = 0; i < 4; i++) {
        add(widest.between[i / 2][i % 2]);
    }
}

int main(void) {
    static uint8_t states[SIDE * SIDE];
    uint8_t prices[4 * N_DISTANCES] = {0};
    for (int32_t i = 0; i < 4; i++) {
        for (int32_t d = 61; d < N_DISTANCES; d++) {
            prices[i * N_DISTANCES + d] = (uint8_t)(8 + 2 * i + (N_DISTANCES - d) / 32);
        }
    }
    const kw_prices declared = {N_DISTANCES, prices, prices + N_DISTANCES, 64};
    for (int32_t i = 0; i < WORLDS; i++) {
        kw_planner *planner;
        kw_way *way;
        check(kw_planner_create(&declared, &planner));
        check(kw_way_create(&way));
        lay(planner, states);
        lay(planner, states);
        find_ways(way, states);
        kw_planner_destroy(planner);
        kw_way_destroy(way);
    }
    printf("%016" PRIx64 "\n", hash);
    return 0;
}
