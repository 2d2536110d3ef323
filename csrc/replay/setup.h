/* The `setup` record: all that the core was made of when a drive was recorded. */
#ifndef KW_REPLAY_SETUP_H
#define KW_REPLAY_SETUP_H

#include "kw_world.h"
#include "reader.h"

/* A drive in the making; `scene` must outlive `world`. */
typedef struct {
    kw_scene *scene;
    kw_world *world;
    kw_options options;
    uint64_t seed;
    kw_pose start;
    int32_t n_goals;
    kw_goal goals[KW_GOALS_MAX];
    int32_t n_goal_changes;
    kw_goal_change goal_changes[KW_GOAL_CHANGES_MAX];
} kw_setup;

/* Makes scene and world as the payload says. KW_BAD_ARGUMENT where it is short, long, or
 * says what the core refuses. What was made is to be ended by kw_setup_end in any case. */
kw_status kw_setup_make(const kw_record *record, kw_setup *out);
void kw_setup_end(kw_setup *setup);

#endif
