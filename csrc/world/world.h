/* One drive: what is declared (constant once created) and what is the case (the state).
 *
 * The state is listed once, in state.c, and that list serves save, load and copy. All else
 * in `kw_world` is declared, or scratch of one step.
 */
#ifndef KW_WORLD_INTERNAL_H
#define KW_WORLD_INTERNAL_H

#include "common/crc.h"
#include "contact.h"
#include "kw_world.h"
#include "record.h"
#include "scene.h"
#include "sensor.h"

/* What has become of one change of the scene. */
typedef struct {
    int32_t armed;                          /* 1 once its condition was met */
    int32_t applied_tick;                   /* -1 until applied */
    int32_t seen_in_sweep[KW_SENSOR_COUNT]; /* 1: the turn in progress has touched the solid */
} kw_change_state;

/* Scalars of an observation after the poses: speed, steer, tick, goal x and y, goal radius,
 * has_goal, goals_left. */
#define KW_OBSERVATION_SCALARS 8

/* The digest of all state on a tick. */
typedef struct {
    int32_t tick;
    uint64_t bits;
} kw_digest;

/* One sensor as this world runs it. */
typedef struct {
    kw_sensor declaration;
    const kw_model *model;
    kw_sensor_rays *rays;  /* NULL where the model has no directions */
    int32_t parts;         /* ticks a frame takes to make */
    int32_t ring_frames;   /* frames under way at the most, with the one in making */
    int32_t frame_length;  /* int32 in one frame: values, then statuses */
    int32_t sample_length; /* int32 in one sample, the same where it is the frame */
    int32_t step_frames;   /* frames that one step's observation has room for */
    int32_t record_width;  /* bytes of a value in a record: 1, 2 or 4, as all fit */
    int32_t ring_offset;   /* into state.frames */
    int32_t values_offset; /* into an observation, as the next two */
    int32_t statuses_offset;
    int32_t ticks_offset;
} kw_sensor_run;

typedef struct {
    uint64_t seed;
    kw_motion motion;
    kw_ask ask;
    int32_t is_reset;
    int32_t tick;
    int32_t ending;
    int32_t goal_index;
    int32_t n_goals;
    int32_t n_goal_changes;
    int32_t honesty_crossed;
    int32_t tip_crossed;
    int32_t contact_ticks;
    int32_t n_contacts;
    int32_t contacts[KW_CONTACTS_MAX]; /* solids in contact, ascending */
    double wheel_distances_m[KW_WHEEL_COUNT];
    double length_m;
    double min_clearance_m;
    kw_goal goals[KW_GOALS_MAX];
    kw_goal_change *goal_changes; /* [KW_GOAL_CHANGES_MAX], n_goal_changes used */
    uint8_t *present;             /* of the changeable solids */
    kw_change_state *changes;     /* one a change of the scene */
    int32_t *frames;              /* rings of all sensors */
    kw_point_map point_map;       /* of what was published; no capacity where nothing is */
} kw_state;

struct kw_world {
    const kw_scene *scene;
    kw_shell shell;
    kw_steering steering;
    kw_options options;
    int32_t n_sensors;
    kw_sensor_run sensors[KW_SENSOR_COUNT];
    int32_t frames_length;
    int32_t whole_frames_length;    /* of the sensors before the one that publishes points */
    const kw_sensor_run *published; /* that one; NULL where there is none */
    int32_t observation_length;
    int32_t pose_offset; /* into an observation */

    kw_state state;

    /* Scratch of the last step. */
    kw_arc arc;
    int32_t nearest_hint;
    int32_t n_events;
    int32_t events_max;
    kw_event *events;
    int32_t emitted[KW_SENSOR_COUNT]; /* frames of each sensor in this step */
    int32_t n_digests;
    kw_digest *digests;
    kw_crc crc;              /* where the drive is recorded */
    int32_t *scratch_frames; /* two longest samples, to compare or to publish from */
};

/* Records an event of the present tick. */
void kw_world_note(kw_world *world, kw_event_name name, int32_t detail);

/* The scene on the present tick as sensors see it. */
kw_view kw_world_view(const kw_world *world);

/* ---- changes.c ---- */

/* Arms what is due by the state before the tick's motion; moves a kidnapped shell. */
void kw_changes_arm(kw_world *world);

/* Applies each armed change of a solid that no sample of this tick or turn touches. */
void kw_changes_apply(kw_world *world);

/* Moves the current goal where that is due. */
void kw_goal_changes_apply(kw_world *world);

/* ---- frames.c ---- */

/* Lays out rings and the observation. Returns false where an array would overflow. */
bool kw_frames_lay_out(kw_world *world);

/* Empties an observation: no frames. */
void kw_frames_clear(kw_world *world, int32_t *observation);

/* Takes the samples of this tick, and emits those whose latency has run out. */
void kw_frames_sample(kw_world *world);
void kw_frames_emit(kw_world *world, int32_t *observation);

/* ---- state.c ---- */

/* The state as it is at creation: nothing reset, arrays kept. */
void kw_state_clear(kw_world *world);

/* Bytes of the state with as much of all that varies as there may be. */
int64_t kw_state_most_size(const kw_world *world);

/* A digest of every bit of the state. */
uint64_t kw_state_digest(const kw_world *world);

#endif
