/* What a sensor model is to the world: a declaration and a function from the world to
 * integers. Each model has a file of its own; sensors.c gathers them in a table.
 */
#ifndef KW_SENSOR_H
#define KW_SENSOR_H

#include <math.h>
#include <stdbool.h>

#include "kw_world.h"
#include "point_map.h"
#include "rising.h"
#include "scene.h"

#define KW_SCAN_BEAMS 360
#define KW_LIO_COLUMNS 360
#define KW_LIO_RINGS 16
#define KW_STANDARD_GRAVITY_MPS2 9.80665 /* CGPM 1901 */

/* What a sensor's directions come to in the body's frame, found once per world. */
typedef union {
    struct {
        double cosine[KW_SCAN_BEAMS];
        double sine[KW_SCAN_BEAMS];
    } turn;                /* of the scanner's beams */
    kw_rising_rays rising; /* of the cone and the grid */
    struct {
        double cos_half;
        double sin_half;
    } sector; /* of beam and radar */
    struct {
        double cosine[KW_LIO_COLUMNS];
        double sine[KW_LIO_COLUMNS];
        double ring_cosine[KW_LIO_RINGS];
        double ring_sine[KW_LIO_RINGS];
        double slopes[KW_LIO_RINGS];
    } rings; /* of the LiDAR */
} kw_sensor_rays;

/* The world on one tick, as a sample sees it. */
typedef struct {
    const kw_scene *scene;
    const uint8_t *present; /* of the changeable solids */
    const kw_shell *shell;
    const kw_motion *motion;         /* after the tick's motion */
    const kw_arc *arc;               /* of the tick */
    const double *wheel_distances_m; /* rolled since the reset */
    const kw_sensor_rays *rays;      /* of the sensor sampled */
    double cos_heading;
    double sin_heading;
} kw_view;

/* True readings of one tick, rounded, without noise. A sweeping model fills a part of its
 * frame on each tick of its period, `part` counting from 0; others get part 0. */
typedef void (*kw_sample)(const kw_sensor *sensor, const kw_view *view, int32_t part,
                          int32_t *values, int32_t *statuses);

/* Greatest magnitude of each channel's true reading, and which of them can be negative. */
typedef struct {
    double magnitude[3];
    bool is_signed[3];
} kw_reach;

/* Fills in what the model needs of its directions. */
typedef void (*kw_prepare)(const kw_sensor *sensor, kw_sensor_rays *out);

typedef kw_reach (*kw_reach_of)(const kw_sensor *sensor, const kw_shell *shell);

/* Makes a frame of points, as many as it counts, of a sample's readings with their noise. */
typedef void (*kw_publish)(const kw_sensor *sensor, const kw_view *view, const int32_t *readings,
                           const int32_t *statuses, kw_point_map *map, int32_t *out_points_mm,
                           int32_t *out_count);

typedef void (*kw_bounds_of)(const kw_sensor *sensor, int32_t *out_low, int32_t *out_high);

typedef struct {
    const kw_sensor *declaration;
    const kw_sensor_card *card;
    kw_prepare prepare; /* NULL where it has no directions */
    kw_sample sample;
    int32_t sample_count; /* readings of a sample, a status each; 0 where it is the frame */
    kw_publish publish;   /* NULL where the sample is the frame */
    kw_reach_of reach;
    kw_bounds_of bounds; /* of what is published; NULL where that is the readings */
    bool sweeps;         /* a frame takes a whole period to make */
    bool sees_solids;    /* a solid can change its readings */
} kw_model;

/* How many readings a sample makes, and how many statuses. */
typedef struct {
    int32_t n_values;
    int32_t n_statuses;
} kw_sample_size;

extern const kw_model kw_cone_model;
extern const kw_model kw_grid_model;
extern const kw_model kw_beam_model;
extern const kw_model kw_scan_model;
extern const kw_model kw_radar_model;
extern const kw_model kw_bumpers_model;
extern const kw_model kw_encoders_model;
extern const kw_model kw_imu_model;
extern const kw_model kw_lio_model;

/* The models by kw_sensor_model. */
const kw_model *kw_model_of(const kw_sensor *sensor);

kw_sample_size kw_sample_size_of(const kw_model *model);

/* Ticks that one sample takes: the period of a sweeping model, else 1. */
int32_t kw_sensor_parts(const kw_sensor *sensor);

/* A reading in its unit, to the nearest integer. Halves go away from zero, with a guard of
 * a millionth of the unit, so that a true value of exactly a half rounds the same way in
 * a scene that was mirrored or turned. Saturates at the int32 range. */
static inline int32_t kw_round_reading(double value) {
    double magnitude = fabs(value) + 0.5 + 1e-6;
    int32_t whole = magnitude < (double)INT32_MAX ? (int32_t)magnitude : INT32_MAX;
    return value < 0.0 ? -whole : whole;
}

/* The reach of a sensor whose one channel is a range in millimetres. */
kw_reach kw_range_reach(const kw_sensor *sensor, const kw_shell *shell);

/* Reading and status of a true range, infinite where nothing is met. */
void kw_read_range(const kw_sensor *sensor, double range_m, int32_t *value, int32_t *status);

/* The half angle's cosine and sine, for models that look into a sector. */
void kw_prepare_sector(const kw_sensor *sensor, kw_sensor_rays *out);

/* Where a sensor stands in `map` when its mount is `ahead_m` ahead of the body's centre. */
void kw_mount_place(const kw_view *view, double ahead_m, double *out_x_m, double *out_y_m);

#endif
