/* Drives a belief through a drawn room with noise of a little generator and prints the digest,
 * what changed, frontiers and rooms, so that builds and processors can be compared. */
#include <inttypes.h>
#include <stdio.h>

#include "common/math.h"
#include "common/rng.h"
#include "kw_belief.h"

#define SCANS 400

/* A random integer in [low, high], from a counter. */
static int32_t draw(uint32_t counter, uint32_t purpose, int32_t low, int32_t high) {
    const uint32_t counters[4] = {counter, purpose, 0, 0};
    const uint32_t key[2] = {5, 6};
    uint32_t words[4];
    kw_philox(counters, key, words);
    return low + (int32_t)(words[0] % (uint32_t)(high - low + 1));
}

/* Range in mm from (x, y) um to the walls of a room of 6 m x 4 m. */
static int32_t range_mm(double x_um, double y_um, double ux, double uy) {
    const double along_x = ((ux > 0.0 ? 6e6 : 0.0) - x_um) / ux;
    const double along_y = ((uy > 0.0 ? 4e6 : 0.0) - y_um) / uy;
    return (int32_t)kw_round_i64((along_x < along_y ? along_x : along_y) / 1000.0);
}

static void fill(uint32_t scan, const int32_t *poses, int32_t *ranges, int32_t *statuses) {
    for (int32_t k = 0; k < KW_BELIEF_BEAMS; ++k) {
        const int32_t *pose = &poses[3 * (k / 18)];
        double sin_h;
        double cos_h;
        kw_sincos(pose[2] * 1e-6 + (k + 0.001) * (KW_PI / 180.0), &sin_h, &cos_h);
        const uint32_t beam = scan * KW_BELIEF_BEAMS + (uint32_t)k;
        const int32_t range = range_mm(pose[0], pose[1], cos_h, sin_h);
        ranges[k] = range + range * draw(beam, 1, -20, 20) / 1000;
        statuses[k] = draw(beam, 2, 0, 40) == 0 ? 2 : 1;
    }
}

int main(void) {
    const kw_belief_scanner scanner = {.period_tick = 20,
                                       .ahead_um = 12345,
                                       .range_max_um = 8000000,
                                       .tolerance_um = 0,
                                       .tolerance_ppm = 10000};
    kw_belief *belief;
    if (kw_belief_create(&belief) != KW_OK) {
        return 1;
    }
    int64_t n_changes = 0;
    for (uint32_t scan = 0; scan < SCANS; ++scan) {
        int32_t poses[3 * 20];
        int32_t ranges[KW_BELIEF_BEAMS];
        int32_t statuses[KW_BELIEF_BEAMS];
        const int32_t x = 1000000 + draw(scan / 8, 3, 0, 4000000);
        const int32_t y = 800000 + draw(scan / 8, 4, 0, 2400000);
        for (int32_t i = 0; i < 20; ++i) {
            poses[3 * i] = x + 3333 * i;
            poses[3 * i + 1] = y - 1111 * i;
            poses[3 * i + 2] = draw(scan / 8, 5, -3000000, 3000000) + 5000 * i;
        }
        fill(scan, poses, ranges, statuses);
        kw_belief_report report;
        kw_belief_changes changes;
        const int32_t offsets[4] = {draw(scan, 6, 0, 800000), draw(scan, 7, -300000, 300000), 0, 0};
        if (kw_belief_scan(belief, &scanner, 40 * (int32_t)scan + 40, poses, ranges, statuses,
                           &report) != KW_OK ||
            kw_belief_mark(belief, poses, 1, offsets, scan % 7 == 0) != KW_OK ||
            kw_belief_take_changes(belief, &changes) != KW_OK) {
            return 1;
        }
        n_changes += changes.n;
        kw_belief_relax(belief, 40 * (int32_t)scan + 60);
    }
    kw_belief_frontiers frontiers;
    kw_belief_rooms rooms;
    if (kw_belief_find_frontiers(belief, 100000, &frontiers) != KW_OK ||
        kw_belief_find_rooms(belief, 900000, 625, &rooms) != KW_OK) {
        return 1;
    }
    printf("%016" PRIx64 " %" PRId64 " %" PRId32 " %" PRId32 "\n", kw_belief_digest(belief),
           n_changes, frontiers.n_cells, rooms.n_rooms);
    kw_belief_destroy(belief);
    return 0;
}
