/* Drives a shell by its candidates among readings that a little generator makes up, and prints a
 * hash of every choice, of the cells and of the motion, so that builds can be compared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kw_grid.h"

enum { STEP = 12, DECISIONS = 200, REACTION_TICK = 53 };

typedef struct {
    uint64_t state;
} draws;

/* An integer below n (Knuth's multiplier). */
static int32_t below(draws *from, int32_t n) {
    from->state = from->state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((from->state >> 33) % (uint64_t)n);
}

/* FNV-1a over the bytes of a word, lowest first on every machine. */
static uint64_t hash_word(uint64_t hash, uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) {
        hash = (hash ^ ((word >> shift) & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t hash_double(uint64_t hash, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return hash_word(hash, word);
}

static uint64_t hash_candidate(uint64_t hash, const kw_candidate *one) {
    const int64_t fields[] = {
        one->candidate, one->ask.speed_dmmps, one->ask.steer_urad, one->is_admissible, one->is_cut,
        one->margin_mm, one->end_mm,          one->score,          one->has_cell,      one->row,
        one->col,       one->n_poses,         one->away_um,
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        hash = hash_word(hash, (uint64_t)fields[i]);
    }
    return hash;
}

static const kw_sense SENSES[KW_SENSE_COUNT] = {
    [KW_SENSE_SCAN] = {1, 20, 9, 0.15, 8.0, 0.0, 0.0, 0.0, 0.01},
    [KW_SENSE_GRID] = {1, 8, 8, 0.02, 4.0, 0.18, 0.39269908169872415481, 3.0, 0.005},
    [KW_SENSE_BEAM] = {1, 8, 4, 0.02, 4.0, 0.18, 0.13089969389957471827, 2.0, 0.002},
    [KW_SENSE_BUMPERS] = {1, 1, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
};

/* What a step brings: a few near things in an open room. */
typedef struct {
    int32_t scan[360], scan_status[360], scan_tick[1];
    int32_t grid[2 * 64], grid_status[2 * 64], grid_tick[2];
    int32_t beam[2], beam_status[2], beam_tick[2];
    int32_t bumpers[STEP * 2], bumpers_status[STEP], bumpers_tick[STEP];
} readings;

static void make_readings(draws *from, int32_t tick, readings *out) {
    memset(out, 0, sizeof *out);
    out->scan_tick[0] = tick - 9;
    const int32_t middle = below(from, 360);
    const int32_t range = 600 + below(from, 1500);
    for (int32_t k = 0; k < 360; k++) {
        const int is_near = (k - middle + 360) % 360 < 8;
        out->scan[k] = is_near ? range + below(from, 40) : 2600 + below(from, 900);
        out->scan_status[k] = 1;
    }
    for (int32_t f = 0; f < 2; f++) {
        out->grid_tick[f] = out->beam_tick[f] = f == 0 ? tick - 8 : -1;
        out->beam_status[f] = below(from, 6) == 0 ? 1 : 2;
        out->beam[f] = 400 + below(from, 2000);
        for (int32_t z = 0; z < 64; z++) {
            out->grid_status[f * 64 + z] = below(from, 40) == 0 ? 1 : 2;
            out->grid[f * 64 + z] = 500 + below(from, 2000);
        }
    }
    memset(out->bumpers_tick, 0xff, sizeof out->bumpers_tick);
}

/* One drive of a shell, from decision to decision. */
static uint64_t drive(uint64_t hash, const kw_shell *shell, const kw_steering *steering) {
    kw_local_map *map = NULL;
    kw_candidates *all = NULL;
    if (kw_local_map_create(shell, SENSES, STEP, &map) != KW_OK ||
        kw_candidates_create(shell, steering, REACTION_TICK, &all) != KW_OK) {
        return 0;
    }
    draws from = {20240229};
    kw_motion truth = {.pose = {0.0, 0.0, 3.0}};
    kw_motion motion = truth;
    kw_ask ask = {0, 0};
    for (int32_t number = 1; number <= DECISIONS; number++) {
        kw_motion ticks[STEP];
        int32_t poses[STEP * 3];
        readings made;
        (void)kw_predict(shell, steering, &truth, ask, STEP, ticks);
        truth = ticks[STEP - 1];
        for (int32_t i = 0; i < STEP; i++) {
            poses[3 * i] = (int32_t)(ticks[i].pose.x_m * 1e6);
            poses[3 * i + 1] = (int32_t)(ticks[i].pose.y_m * 1e6);
            poses[3 * i + 2] = (int32_t)(ticks[i].pose.heading_rad * 1e6);
        }
        make_readings(&from, number * STEP, &made);
        const kw_frames frames[KW_SENSE_COUNT] = {
            {made.scan, made.scan_status, made.scan_tick},
            {made.grid, made.grid_status, made.grid_tick},
            {made.beam, made.beam_status, made.beam_tick},
            {made.bumpers, made.bumpers_status, made.bumpers_tick},
        };
        (void)kw_local_map_observe(map, number * STEP, poses, frames);
        (void)kw_motion_observe(shell, steering, ask, STEP, poses + 3 * (STEP - 1),
                                (int32_t)(truth.speed_mps * 1e3), (int32_t)(truth.steer_rad * 1e6),
                                &motion);
        const kw_aim aim = {1,
                            below(&from, 6000000) - 3000000,
                            below(&from, 6000000) - 3000000,
                            150000,
                            number % 7 == 0,
                            number % 5 == 0 ? 0x2aaaaaaau : 0u};
        kw_candidate choice;
        kw_candidate listed[KW_CANDIDATE_COUNT];
        (void)kw_candidates_choose(all, map, &motion, aim, ask.steer_urad, &choice);
        hash = hash_candidate(hash, &choice);
        if (number % 20 == 0) {
            (void)kw_candidates_survey(all, map, &motion, aim, listed, NULL);
            for (int32_t i = 0; i < KW_CANDIDATE_COUNT; i++) {
                hash = hash_candidate(hash, &listed[i]);
            }
        }
        hash = hash_double(hash, motion.steer_rad);
        hash = hash_double(hash, truth.pose.x_m);
        hash = hash_word(hash, (uint64_t)kw_local_map_count(map));
        ask = choice.ask;
    }
    kw_local_map_destroy(map);
    kw_candidates_destroy(all);
    return hash;
}

int main(void) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int32_t shell = 0; shell < KW_SHELL_COUNT; shell++) {
        for (int32_t steering = 0; steering < KW_STEERING_COUNT; steering++) {
            hash = drive(hash, &kw_shells[shell], &kw_steerings[steering]);
            printf("%016" PRIx64 "\n", hash);
        }
    }
    return 0;
}
