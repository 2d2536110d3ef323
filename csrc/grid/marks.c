/* From what the senses read to marked cells.
 *
 * Each return is laid where its surface could be nearest to the shell: a beam of the scan at
 * its range; a zone of the grid on both its azimuths, at the level distance of its upper rays;
 * an echo of the beam on the whole arc across its angle; a thing too near to measure where the
 * ray leaves the body; a closed bumper at its corner. What may be amiss with that place is the
 * cell's tolerance: three sigma at the range, half the rounding step, half a cell's diagonal,
 * and the rounding of the observed pose. It is kept with the cell and counted once, by whoever
 * asks how near the cell is.
 *
 * A frame is laid from the pose of its own tick; of the scan, each beam from that of its own.
 */
#include <math.h>

#include "grid/local_map.h"

/* As in an observation. */
enum { RETURN = 1, TOO_NEAR = 3 };

static const double SIGMAS = 3.0;
static const double HALF_STEP_UM = 500.0;       /* readings are whole millimetres */
static const double HALF_DIAGONAL_UM = 14142.2; /* of a cell of 20,000 um, rounded up */
static const double POSE_UM = 1.0;              /* x and y are rounded to 1 um */
static const double POSE_UM_PER_MM = 1e-3;      /* and the heading to 1 urad */
static const double ARC_STEP_UM = 10000.0;      /* half a cell: an arc skips none */
static const double MM_TO_UM = 1000.0;
static const double GREATEST_UM = 1e8; /* of a tolerance: all that a map holds is nearer */

/* Where a sense looks from. */
typedef struct {
    double x_um; /* of its mount */
    double y_um;
    double cosine; /* of the heading */
    double sine;
    double reach_mm; /* what lies farther than this lies beyond the map's radius */
} mount;

/* ---- Directions ---- */

/* How far from a place `ahead_m` of the body's centre, in a direction, the body's outline is; 0
 * outside of it. */
static double exit_of(const kw_shell *shell, double ahead_m, double cosine, double sine) {
    const double half_x = 0.5 * shell->length_m;
    const double half_y = 0.5 * shell->width_m;
    if (fabs(ahead_m) > half_x) {
        return 0.0;
    }
    const double along = cosine > 0.0 ? (half_x - ahead_m) / cosine : (half_x + ahead_m) / -cosine;
    const double across = half_y / fabs(sine);
    if (cosine == 0.0) {
        return across;
    }
    return sine == 0.0 || along < across ? along : across;
}

void kw_marks_prepare(kw_local_map *map) {
    for (int32_t k = 0; k < KW_SCAN_BEAMS; k++) {
        double *sine = &map->scan.sine[k];
        double *cosine = &map->scan.cosine[k];
        kw_sincos_deg(k, sine, cosine);
        map->scan.exit_m[k] =
            exit_of(&map->shell, map->senses[KW_SENSE_SCAN].ahead_m, *cosine, *sine);
    }
    const double half_rad = map->senses[KW_SENSE_GRID].half_angle_rad;
    const double step_rad = 2.0 * half_rad / KW_GRID_RAYS;
    for (int32_t i = 0; i < KW_GRID_RAYS; i++) {
        const double off_rad = step_rad * (KW_GRID_ZONES - 0.5 - i);
        kw_sincos(off_rad, &map->grid.sine[i], &map->grid.cosine[i]);
        if (i % 2 == 0) { // the upper of a row's two
            map->grid.level[i / 2] = kw_cos(half_rad + off_rad);
        }
    }
}

static mount mount_at(const kw_local_map *map, const kw_sense *sense, kw_tick_pose pose) {
    mount at;
    kw_sincos((double)pose.heading_urad / 1e6, &at.sine, &at.cosine);
    const double ahead_um = (map->shell.body_ahead_m + sense->ahead_m) * 1e6;
    at.x_um = (double)pose.x_um + ahead_um * at.cosine;
    at.y_um = (double)pose.y_um + ahead_um * at.sine;
    // the shell may have moved on since, towards what was farther off
    const kw_tick_pose here = kw_local_map_here(map);
    const double x_um = (double)here.x_um - at.x_um;
    const double y_um = (double)here.y_um - at.y_um;
    const double apart_um = sqrt(x_um * x_um + y_um * y_um);
    at.reach_mm = (KW_LOCAL_RADIUS_UM + KW_LOCAL_CELL_UM + apart_um) / MM_TO_UM;
    return at;
}

/* ---- Returns ---- */

static int32_t tolerance_um(const kw_sense *sense, double range_mm) {
    const double sigma_mm = sense->sigma_base_mm + sense->sigma_per_mm * range_mm;
    const double um = SIGMAS * sigma_mm * MM_TO_UM + HALF_STEP_UM + HALF_DIAGONAL_UM + POSE_UM +
                      POSE_UM_PER_MM * range_mm;
    return um < GREATEST_UM ? (int32_t)ceil(um) : (int32_t)GREATEST_UM;
}

/* Marks the place at a level distance in a direction of the body's frame. */
static kw_status mark_ray(kw_local_map *map, const mount *at, double cosine, double sine,
                          double level_um, int32_t tick, int32_t tolerance) {
    const double x = at->cosine * cosine - at->sine * sine;
    const double y = at->sine * cosine + at->cosine * sine;
    return kw_local_map_touch(map, at->x_um + level_um * x, at->y_um + level_um * y, tick,
                              tolerance);
}

static double range_of(int32_t value) {
    return value > 0 ? (double)value : 0.0; // noise may leave less than nothing
}

/* Range of a sense at the body's front; too near stands for anything from the mount on. Below 0
 * where nothing was met. */
static double echo_range(int32_t value, int32_t status) {
    return status == RETURN ? range_of(value) : status == TOO_NEAR ? 0.0 : -1.0;
}

/* Beams first to last - 1, all cast on one tick. */
static kw_status mark_beams(kw_local_map *map, const int32_t *values, const int32_t *statuses,
                            int32_t first, int32_t last, int32_t tick) {
    const kw_sense *sense = &map->senses[KW_SENSE_SCAN];
    kw_tick_pose pose;
    if (!kw_local_map_pose(map, tick, &pose)) {
        return KW_OK;
    }
    const mount at = mount_at(map, sense, pose);
    for (int32_t k = first; k < last; k++) {
        double range_mm = range_of(values[k]);
        if (statuses[k] == TOO_NEAR) {
            const double exit_m = map->scan.exit_m[k];
            range_mm = (exit_m < sense->range_min_m ? exit_m : sense->range_min_m) * 1e3;
        } else if (statuses[k] != RETURN || range_mm > at.reach_mm) {
            continue;
        }
        const kw_status status = mark_ray(map, &at, map->scan.cosine[k], map->scan.sine[k],
                                          range_mm * MM_TO_UM, tick, tolerance_um(sense, range_mm));
        if (status != KW_OK) {
            return status;
        }
    }
    return KW_OK;
}

static kw_status mark_scan(kw_local_map *map, const int32_t *values, const int32_t *statuses,
                           int32_t tick) {
    const int32_t period = map->senses[KW_SENSE_SCAN].period_tick;
    const int32_t n = KW_SCAN_BEAMS / period;
    kw_status status = KW_OK;
    for (int32_t part = 0; part < period && status == KW_OK; part++) {
        const int32_t at = tick - period + 1 + part;
        status = mark_beams(map, values, statuses, part * n, (part + 1) * n, at);
    }
    return status;
}

static kw_status mark_zone(kw_local_map *map, const mount *at, int32_t zone, double range_mm,
                           int32_t tick) {
    const kw_grid_rays *rays = &map->grid;
    const double level_um = range_mm * rays->level[zone / KW_GRID_ZONES] * MM_TO_UM;
    const int32_t tolerance = tolerance_um(&map->senses[KW_SENSE_GRID], range_mm);
    const int32_t left = 2 * (zone % KW_GRID_ZONES);
    kw_status status =
        mark_ray(map, at, rays->cosine[left], rays->sine[left], level_um, tick, tolerance);
    if (status == KW_OK) {
        status = mark_ray(map, at, rays->cosine[left + 1], rays->sine[left + 1], level_um, tick,
                          tolerance);
    }
    return status;
}

static kw_status mark_grid(kw_local_map *map, const int32_t *values, const int32_t *statuses,
                           int32_t tick) {
    const kw_sense *sense = &map->senses[KW_SENSE_GRID];
    kw_tick_pose pose;
    if (!kw_local_map_pose(map, tick, &pose)) {
        return KW_OK;
    }
    const mount at = mount_at(map, sense, pose);
    kw_status status = KW_OK;
    for (int32_t zone = 0; zone < KW_GRID_ZONES * KW_GRID_ZONES && status == KW_OK; zone++) {
        const double range_mm = echo_range(values[zone], statuses[zone]);
        if (range_mm >= 0.0 && range_mm <= at.reach_mm) {
            status = mark_zone(map, &at, zone, range_mm, tick);
        }
    }
    return status;
}

/* Every cell that the arc crosses: its points lie half a cell apart, and between two that meet
 * at a cell's corner alone both neighbours are marked. */
static kw_status mark_arc(kw_local_map *map, const mount *at, double range_mm, int32_t tick) {
    const kw_sense *sense = &map->senses[KW_SENSE_BEAM];
    const int32_t tolerance = tolerance_um(sense, range_mm);
    const double range_um = range_mm * MM_TO_UM;
    const int32_t n = (int32_t)ceil(2.0 * sense->half_angle_rad * range_um / ARC_STEP_UM) + 1;
    double before_x = 0.0;
    double before_y = 0.0;
    kw_status status = KW_OK;
    for (int32_t i = 0; i <= n && status == KW_OK; i++) {
        double sine;
        double cosine;
        kw_sincos(sense->half_angle_rad * (2.0 * i / n - 1.0), &sine, &cosine);
        const double x = at->x_um + range_um * (at->cosine * cosine - at->sine * sine);
        const double y = at->y_um + range_um * (at->sine * cosine + at->cosine * sine);
        const int is_across = floor(x / KW_LOCAL_CELL_UM) != floor(before_x / KW_LOCAL_CELL_UM) &&
                              floor(y / KW_LOCAL_CELL_UM) != floor(before_y / KW_LOCAL_CELL_UM);
        if (i > 0 && is_across) {
            status = kw_local_map_touch(map, before_x, y, tick, tolerance);
            status =
                status == KW_OK ? kw_local_map_touch(map, x, before_y, tick, tolerance) : status;
        }
        status = status == KW_OK ? kw_local_map_touch(map, x, y, tick, tolerance) : status;
        before_x = x;
        before_y = y;
    }
    return status;
}

static kw_status mark_beam(kw_local_map *map, const int32_t *values, const int32_t *statuses,
                           int32_t tick) {
    const double range_mm = echo_range(values[0], statuses[0]);
    kw_tick_pose pose;
    if (range_mm < 0.0 || !kw_local_map_pose(map, tick, &pose)) {
        return KW_OK;
    }
    const mount at = mount_at(map, &map->senses[KW_SENSE_BEAM], pose);
    return range_mm <= at.reach_mm ? mark_arc(map, &at, range_mm, tick) : KW_OK;
}

static kw_status mark_bumpers(kw_local_map *map, const int32_t *values, const int32_t *statuses,
                              int32_t tick) {
    kw_tick_pose pose;
    if (statuses[0] != RETURN || !kw_local_map_pose(map, tick, &pose)) {
        return KW_OK;
    }
    const double half_x_um = 0.5e6 * map->shell.length_m;
    const double half_y_um = 0.5e6 * map->shell.width_m;
    const kw_sense corner = {.ahead_m = 0.0};
    const mount at = mount_at(map, &corner, pose);
    kw_status status = KW_OK;
    for (int32_t side = 0; side < 2 && status == KW_OK; side++) {
        const double left_um = side == 0 ? half_y_um : -half_y_um;
        if (values[side] != 0) {
            status = kw_local_map_touch(map, at.x_um + half_x_um * at.cosine - left_um * at.sine,
                                        at.y_um + half_x_um * at.sine + left_um * at.cosine, tick,
                                        tolerance_um(&corner, 0.0));
        }
    }
    return status;
}

/* ---- Frames ---- */

typedef kw_status (*mark_frame)(kw_local_map *map, const int32_t *values, const int32_t *statuses,
                                int32_t tick);

/* What a frame of each sense holds, and who marks it. */
static const struct {
    int32_t value_count;
    int32_t status_count;
    int32_t is_swept; /* over its period */
    mark_frame mark;
} SENSES[KW_SENSE_COUNT] = {
    [KW_SENSE_SCAN] = {KW_SCAN_BEAMS, KW_SCAN_BEAMS, 1, mark_scan},
    [KW_SENSE_GRID] = {KW_GRID_ZONES * KW_GRID_ZONES, KW_GRID_ZONES *KW_GRID_ZONES, 0, mark_grid},
    [KW_SENSE_BEAM] = {1, 1, 0, mark_beam},
    [KW_SENSE_BUMPERS] = {2, 1, 0, mark_bumpers},
};

/* A frame tells of the surroundings if all of it was sampled since the pose last jumped. */
static void know(kw_local_map *map, int32_t kind, int32_t tick) {
    const int32_t swept = SENSES[kind].is_swept ? map->senses[kind].period_tick - 1 : 0;
    if (kind != KW_SENSE_BUMPERS && !map->is_known[kind] && tick - swept >= map->still_tick) {
        map->is_known[kind] = 1;
        map->n_known++;
    }
}

/* How many frames a step brings at most. */
static int32_t frame_count(const kw_local_map *map, int32_t kind) {
    const int32_t period = map->senses[kind].period_tick;
    return map->senses[kind].is_present ? (map->ticks_per_step + period - 1) / period : 0;
}

int32_t kw_marks_check(const kw_local_map *map, int32_t tick, const kw_frames *frames) {
    for (int32_t kind = 0; kind < KW_SENSE_COUNT; kind++) {
        const int32_t n = frame_count(map, kind);
        for (int32_t i = 0; i < n; i++) {
            if (frames[kind].ticks[i] > tick) {
                return 0;
            }
        }
    }
    return 1;
}

static kw_status take_frames(kw_local_map *map, int32_t kind, const kw_frames *frames) {
    const size_t values = (size_t)SENSES[kind].value_count;
    const size_t statuses = (size_t)SENSES[kind].status_count;
    const int32_t n = frame_count(map, kind);
    kw_status status = KW_OK;
    for (int32_t i = 0; i < n && frames->ticks[i] >= 0 && status == KW_OK; i++) {
        const int32_t tick = frames->ticks[i];
        status = SENSES[kind].mark(map, frames->values + (size_t)i * values,
                                   frames->statuses + (size_t)i * statuses, tick);
        know(map, kind, tick);
    }
    return status;
}

kw_status kw_marks_take(kw_local_map *map, const kw_frames *frames) {
    kw_status status = KW_OK;
    for (int32_t kind = 0; kind < KW_SENSE_COUNT && status == KW_OK; kind++) {
        status = take_frames(map, kind, &frames[kind]);
    }
    return status;
}
