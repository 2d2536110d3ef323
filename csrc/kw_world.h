/* Public header of the world's library: what the environment may call.
 *
 * A `kw_scene` is constant once created and may be shared by any number of worlds; a
 * `kw_world` is one drive, and the only thing that changes. Whoever creates destroys.
 * A world borrows its scene, which must outlive it.
 */
#ifndef KW_WORLD_H
#define KW_WORLD_H

#include "kw_types.h"

/* cffi: begin */

#define KW_SOLID_NONE -1
#define KW_SOLID_GROUND -2
#define KW_SOLID_FIGURES 6
#define KW_SENSOR_COUNT 9
/* Voxels of 0.10 m, of four points at most, that the map behind `lio` holds in one drive. */
#define KW_LIO_VOXELS_MAX 262144
#define KW_CONTACTS_MAX 16
#define KW_GOALS_MAX 64
#define KW_GOAL_CHANGES_MAX 64

/* Which compiler built this library. */
const char *kw_compiler(void);

/* ---- Noise ---- */

/* Philox4x32-10 over n counters of four words under one key of two words. */
void kw_philox_many(int32_t n, const uint32_t *counters, const uint32_t key[2],
                    uint32_t *out_words);
/* Standard normal variates in Q16.16, one for each 64-bit draw. */
void kw_normal_many(int32_t n, const uint64_t *bits, int32_t *out_q16);

/* ---- Scene ---- */

/* Kinds of solid, and what the six figures of each mean. All stand on the ground. */
typedef enum {
    KW_WALL = 0, /* x0_m, y0_m, x1_m, y1_m, thickness_m, height_m; ends flat */
    KW_BOX = 1,  /* x_m, y_m, size_x_m, size_y_m, heading_deg, height_m */
    KW_POST = 2, /* x_m, y_m, radius_m, height_m, 0, 0 */
} kw_solid_kind;

typedef enum {
    KW_CHANGE_APPEAR = 0,
    KW_CHANGE_VANISH = 1,
    KW_CHANGE_KIDNAP = 2,
} kw_change_action;

/* What arms a change. */
typedef enum {
    KW_ARMED_AT_TICK = 0, /* from tick `number` on */
    KW_ARMED_X_ABOVE = 1, /* pivot's x > value_m */
    KW_ARMED_X_BELOW = 2,
    KW_ARMED_Y_ABOVE = 3,
    KW_ARMED_Y_BELOW = 4,
    KW_ARMED_AFTER_CHANGE = 5, /* once change `number` (0-based) was applied */
    KW_ARMED_AT_GOAL = 6,      /* once goal `number` (0-based) was reached */
} kw_armed_by;

typedef struct {
    int32_t action;   /* kw_change_action */
    int32_t solid;    /* index of the solid; KW_SOLID_NONE for a kidnap */
    int32_t armed_by; /* kw_armed_by */
    int32_t number;   /* tick, change or goal, by armed_by */
    double value_m;   /* by armed_by */
    kw_pose pose;     /* of a kidnap */
} kw_change;

typedef struct {
    double x_m;
    double y_m;
    double radius_m;
} kw_goal;

/* The current goal's place from a tick on. */
typedef struct {
    int32_t tick;
    double x_m;
    double y_m;
} kw_goal_change;

typedef struct kw_scene kw_scene;

/* kinds[n_solids], figures[n_solids * KW_SOLID_FIGURES] row-major. Every figure must be
 * finite, sizes above zero. A solid that a change names first with `appear` starts out
 * absent. KW_BAD_ARGUMENT otherwise. */
kw_status kw_scene_create(int32_t n_solids, const int32_t *kinds, const double *figures,
                          int32_t n_changes, const kw_change *changes, kw_scene **out_scene);
void kw_scene_destroy(kw_scene *scene);

/* Outline of each solid as the core holds it: x, y of the centre, cosine and sine of the
 * heading, half length, half width, height; a post has half length = half width =
 * radius, cosine 1, sine 0. out_outlines[n_solids * 7]. */
void kw_scene_outlines(const kw_scene *scene, double *out_outlines);

/* Nearest crossing of n rays with what is present at the start of a drive.
 * origins_m[n * 3] (x, y, z), headings_rad[n], pitches_rad[n] (in (-pi/2, pi/2), up is
 * positive). A start inside a solid gives range 0 and that solid. out_ranges_m[n] is
 * infinite and out_solids[n] KW_SOLID_NONE where nothing is met within range_m; the
 * ground is KW_SOLID_GROUND. use_index 0 tests every solid on every ray; the answers
 * are the same bits. */
kw_status kw_scene_cast(const kw_scene *scene, int32_t n, const double *origins_m,
                        const double *headings_rad, const double *pitches_rad, double range_m,
                        int32_t use_index, double *out_ranges_m, int32_t *out_solids);

/* Clearance of a rectangle at n poses of its centre, against what is present at the
 * start: out_clearances_m[n] (0 in contact), out_depths_m[n] (0 out of contact),
 * out_solids[n] (the deepest, else the nearest; lowest index on a tie). Infinite and
 * KW_SOLID_NONE in a scene without solids. */
kw_status kw_scene_clearance(const kw_scene *scene, double length_m, double width_m, int32_t n,
                             const kw_pose *centres, int32_t use_index, double *out_clearances_m,
                             double *out_depths_m, int32_t *out_solids);

/* Length of the shortest way of a disc's centre to (goal_x_m, goal_y_m) from each cell
 * centre of a grid, infinite where there is none. Cell (row, col) is centred on
 * (x0_m + (col + 0.5) * cell_m, y0_m + (row + 0.5) * cell_m); out_m[n_rows * n_cols]. A
 * cell is open where the disc fits with its centre somewhere in the cell. */
kw_status kw_scene_shortest(const kw_scene *scene, double disc_radius_m, double x0_m, double y0_m,
                            double cell_m, int32_t n_rows, int32_t n_cols, double goal_x_m,
                            double goal_y_m, double *out_m);

/* ---- Sensors ---- */

/* Statuses of a reading. A value is 0 for every status but KW_RETURN. */
typedef enum {
    KW_NOTHING_YET = 0,
    KW_RETURN = 1,
    KW_OUT_OF_RANGE = 2,
    KW_TOO_NEAR = 3,
    KW_NO_ECHO = 4,
} kw_reading_status;

/* Sensor models, in the order of their keys in an observation. */
typedef enum {
    KW_CONE = 0,
    KW_GRID = 1,
    KW_BEAM = 2,
    KW_SCAN = 3,
    KW_RADAR = 4,
    KW_BUMPERS = 5,
    KW_ENCODERS = 6,
    KW_IMU = 7,
    KW_LIO = 8,
} kw_sensor_model;

/* One sensor on a shell. Noise on channel c has standard deviation sigma_base[c] +
 * sigma_per_unit[c] * |true value|, both in the reading's unit (per_unit is a ratio). */
typedef struct {
    int32_t model; /* kw_sensor_model */
    int32_t period_tick;
    int32_t latency_tick; /* after the sample; of the scan: after its last beam */
    double range_min_m;
    double range_max_m;
    double ahead_m; /* of the body's centre (of the pivot for the imu) */
    double height_m;
    double half_angle_rad;
    double sigma_base[3];
    double sigma_per_unit[3];
} kw_sensor;

/* What a model is, whatever its figures. */
typedef struct {
    const char *key;
    const char *title;
    const char *source; /* the class of parts that the figures are estimated from */
    const char *unit;
    int32_t value_count; /* readings in one frame */
    int32_t status_count;
    int32_t value_columns; /* of readings laid out in rows, 0 where they are not */
    int32_t status_columns;
    int32_t channel_count; /* how many sigmas there are; reading i has the (i mod this)th */
    int32_t is_counted;    /* 1: a frame's one status counts the rows that it holds; the rest
                              are zero */
    int32_t on_request;    /* 1: in a rig only where it is asked for */
} kw_sensor_card;

/* The declaration of a model and its card. KW_BAD_ARGUMENT where model is none. */
kw_status kw_sensor_declared(int32_t model, kw_sensor *out_sensor, kw_sensor_card *out_card);

/* KW_OK where the world can keep every figure of a declaration exactly. */
kw_status kw_sensor_check(const kw_sensor *sensor);

/* Least and greatest reading of each channel that a sound sensor on this shell can give, 0
 * for no return and the farthest reach of noise included: out_low[3], out_high[3]. Of a
 * sensor that publishes points: of each column. */
void kw_sensor_bounds(const kw_sensor *sensor, const kw_shell *shell, int32_t *out_low,
                      int32_t *out_high);

/* ---- World ---- */

typedef struct {
    int32_t ticks_per_step; /* the most ticks of one step, 1 to 12000 */
    int32_t noise;          /* 1: readings carry noise */
    int32_t end_at_goal;    /* 1: at rest in the last goal ends the drive */
    int32_t end_on_contact; /* 1: a contact ends the drive */
    int32_t time_limit_tick;
    int32_t record; /* 1: digests of state are kept for kw_world_record */
} kw_options;

/* Why a drive has ended. */
typedef enum {
    KW_RUNNING = 0,
    KW_ENDED_AT_GOAL = 1,
    KW_ENDED_ON_CONTACT = 2,
    KW_ENDED_OUT_OF_TIME = 3,
} kw_ending;

typedef enum {
    KW_EVENT_HONESTY_BOUND = 0, /* detail 1: crossed, 0: left */
    KW_EVENT_TIP_THRESHOLD = 1,
    KW_EVENT_CONTACT_BEGIN = 2, /* detail: the solid */
    KW_EVENT_CONTACT_END = 3,
    KW_EVENT_CHANGE = 4,       /* detail: the change */
    KW_EVENT_GOAL_CHANGE = 5,  /* detail: the goal change */
    KW_EVENT_GOAL_REACHED = 6, /* detail: the goal */
    KW_EVENT_MAP_FULL = 7,     /* once: a frame of `lio` lacks points, as its map has no room
                                  for their voxels; detail: how many */
} kw_event_name;

typedef struct {
    int32_t tick;
    int32_t name; /* kw_event_name */
    int32_t detail;
} kw_event;

/* The drive as it stands, and what its last step was. */
typedef struct {
    kw_motion motion;
    kw_ask ask; /* in force */
    int32_t tick;
    int32_t ending;        /* kw_ending */
    int32_t step_ticks;    /* ticks run by the last step */
    int32_t contact;       /* 1: in contact on a tick of the last step */
    int32_t contact_solid; /* deepest of the step, else KW_SOLID_NONE */
    int32_t step_contact_ticks;
    double contact_depth_m; /* deepest of the step */
    double clearance_m;     /* least of the step; 0 in contact */
    int32_t goal_index;     /* goals reached */
    int32_t goals_left;     /* after the current one */
    kw_goal goal;           /* current; the last one stays after it is reached */
    int32_t contact_ticks;  /* of the whole drive, as what follows */
    int32_t n_events;       /* of the last step */
    double min_clearance_m;
    double length_m;   /* run by the pivot, forward and back */
    double centre_x_m; /* body's centre now */
    double centre_y_m;
} kw_report;

typedef struct kw_world kw_world;

/* A world needs kw_world_reset before it can step. sensors[n_sensors] have different
 * models, in ascending order. KW_BAD_ARGUMENT where a figure is out of its range. */
kw_status kw_world_create(const kw_scene *scene, const kw_shell *shell, const kw_steering *steering,
                          int32_t n_sensors, const kw_sensor *sensors, kw_options options,
                          kw_world **out_world);
void kw_world_destroy(kw_world *world);

/* How many int32 one observation holds: for each sensor its values (frames x
 * value_count), statuses (frames x status_count) and sample ticks (frames); then pose
 * (ticks_per_step x 3), speed, steer, tick, goal x, goal y, goal radius, has_goal,
 * goals_left. frames = ceil(ticks_per_step / period). */
int32_t kw_world_observation_length(const kw_world *world);

/* Tick 0 at the start pose, at rest, straight. goals and goal_changes are copied; at most
 * KW_GOALS_MAX and KW_GOAL_CHANGES_MAX. */
kw_status kw_world_reset(kw_world *world, uint64_t seed, kw_pose start, int32_t n_goals,
                         const kw_goal *goals, int32_t n_goal_changes,
                         const kw_goal_change *goal_changes, int32_t *out_observation,
                         kw_report *out_report);

/* Records of a journal, one behind the other; whoever takes them sets n_bytes to 0. */
typedef struct {
    uint8_t *bytes;
    int64_t n_bytes;
} kw_records;

/* Runs n_ticks (1 to ticks_per_step) or until the drive ends, and adds to records (NULL for
 * none) as kw_world_record does. KW_BAD_STATE after the end or before a reset; KW_BAD_ARGUMENT
 * where ask lies outside the shell. */
kw_status kw_world_step(kw_world *world, int32_t n_ticks, kw_ask ask, int32_t *out_observation,
                        kw_report *out_report, kw_records *records);

/* Puts `base_link` elsewhere between two ticks, its speed and steering as they are: a kidnap
 * from outside. KW_BAD_STATE after the end or before a reset; KW_BAD_ARGUMENT as for a start. */
kw_status kw_world_place(kw_world *world, kw_pose pose);

/* The drive as it stands, as an observation without frames; a report of no ticks, contact and
 * clearance those of the present pose. KW_BAD_STATE before a reset. */
kw_status kw_world_observe(kw_world *world, int32_t *out_observation, kw_report *out_report);

/* Of a journal's file, and of what the core does with asks: the second goes up when the same
 * asks give other drives. */
#define KW_JOURNAL_FORMAT 2
#define KW_JOURNAL_SEMANTICS 1
/* A reader skips kinds of record that it does not know, unless this bit is set. */
#define KW_JOURNAL_UNKNOWN_STOPS 128

/* Kinds of record in a journal. */
typedef enum {
    KW_RECORD_HEADER = 1,   /* canonical JSON: all that fixes the drive beside the asks */
    KW_RECORD_SCENE = 2,    /* the scene's canonical bytes */
    KW_RECORD_SETUP = 3,    /* what the core was made of, for replayers without JSON */
    KW_RECORD_ASK = 4,      /* tick before, speed_dmmps, steer_urad: i32; claim: u8 */
    KW_RECORD_FRAME = 5,    /* all frames of a step, sensor by sensor: model, width: u8; count:
                               u16; tick on which the first was sampled: i32; ticks to its
                               emission, and to the next sample: u16; a byte for all statuses,
                               or 255 and half a byte for each, the first lowest; values of
                               width bytes. Of a counted sensor, in place of statuses and
                               values: of each frame the count: i32, and the values of its rows */
    KW_RECORD_STATE = 6,    /* tick, ticks run; poses of those ticks (the present where none
                               ran); then the observation's scalars: i32 */
    KW_RECORD_EVENT = 7,    /* tick: i32; name: u8; detail: i32 */
    KW_RECORD_DECISION = 8, /* canonical JSON, as the next three */
    KW_RECORD_PLAN = 9,
    KW_RECORD_SWITCH = 10,
    KW_RECORD_VERDICT = 11,
    KW_RECORD_HASH = 12,   /* tick: i32; digest of all state: u64 */
    KW_RECORD_KEY = 13,    /* tick: i32; the whole state, as kw_world_save writes it */
    KW_RECORD_END = 14,    /* steps, last tick: i32; root: 32 bytes */
    KW_RECORD_INPUT = 15,  /* canonical JSON: what a person did at the window before the ask */
    KW_RECORD_PLACE = 144, /* kw_world_place before the next ask: x_m, y_m, heading_rad: f64; a
                              reader that skips it would not understand what follows */
} kw_record_kind;

/* The most bytes that kw_world_record adds; -1 where that is beyond an int32. */
int32_t kw_world_record_size(const kw_world *world);

/* Adds the records of the last reset, step or end by a claim (0: none), which ran step_ticks
 * and gave this observation: the ask, events, frames, hashes, the state, and a
 * key at the start and each ten seconds. */
void kw_world_record(kw_world *world, int32_t claim, int32_t step_ticks, const int32_t *observation,
                     kw_records *records);

/* Events of the last step, out_events[report.n_events], in the order they happened. */
void kw_world_events(const kw_world *world, kw_event *out_events);

/* Whether each solid is present now: out_present[n_solids], 0 or 1. */
void kw_world_present(const kw_world *world, uint8_t *out_present);

/* A world that goes on identically; it borrows the same scene. */
kw_status kw_world_copy(const kw_world *world, kw_world **out_world);

/* The whole state as little-endian bytes, for a world of the same declarations. Both return
 * how many. */
int32_t kw_world_state_size(const kw_world *world);
int32_t kw_world_save(const kw_world *world, uint8_t *out_bytes);
kw_status kw_world_load(kw_world *world, int32_t size, const uint8_t *bytes);

/* One field of the state, as kw_world_save lays it out. */
typedef struct {
    const char *name;
    int32_t index; /* in an array, -1 where it is in none */
    int32_t offset;
    int32_t size;    /* bytes */
    int32_t is_real; /* 1: a double, 0: a whole number */
} kw_state_field;

/* The field that a byte of the state belongs to; KW_BAD_ARGUMENT beyond the last. */
kw_status kw_world_state_field(const kw_world *world, int32_t at_byte, kw_state_field *out_field);
/* cffi: end */

#endif
