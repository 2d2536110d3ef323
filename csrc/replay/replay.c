#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "setup.h"

static const uint8_t MAGIC[8] = {0x89, 'K', 'W', 'J', '\r', '\n', 0x1a, '\n'};

/* A replay under way. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
    size_t at; /* of the next record */
    kw_setup setup;
    kw_report report;
    int32_t *observation;
    kw_records made; /* of the last step, as this build makes them */
    size_t made_at;  /* of the next one to compare */
    kw_replay result;
} replay;

static bool say(replay *run, kw_replay_outcome outcome, size_t offset, const char *reason) {
    run->result.outcome = outcome;
    run->result.offset = offset;
    run->result.reason = reason;
    return false;
}

static bool bad_file(replay *run, size_t offset, const char *reason) {
    return say(run, KW_REPLAY_BAD_FILE, offset, reason);
}

const char *kw_record_name(int32_t kind) {
    static const char *const names[] = {
        [0] = "nothing",
        [KW_RECORD_HEADER] = "header",
        [KW_RECORD_SCENE] = "scene",
        [KW_RECORD_SETUP] = "setup",
        [KW_RECORD_ASK] = "ask",
        [KW_RECORD_FRAME] = "frame",
        [KW_RECORD_STATE] = "state",
        [KW_RECORD_EVENT] = "event",
        [KW_RECORD_DECISION] = "decision",
        [KW_RECORD_PLAN] = "plan",
        [KW_RECORD_SWITCH] = "switch",
        [KW_RECORD_VERDICT] = "verdict",
        [KW_RECORD_HASH] = "hash",
        [KW_RECORD_KEY] = "key",
        [KW_RECORD_END] = "end",
    };
    if (kind == KW_RECORD_PLACE) {
        return "place";
    }
    return kind >= 0 && kind <= KW_RECORD_END ? names[kind] : "unknown";
}

static bool is_of_world(int32_t kind) {
    return kind == KW_RECORD_ASK || kind == KW_RECORD_FRAME || kind == KW_RECORD_STATE ||
           kind == KW_RECORD_EVENT || kind == KW_RECORD_HASH || kind == KW_RECORD_KEY;
}

/* ---- Before the first tick ---- */

/* The number behind a key of a canonical header, which has no spaces; -1 where there is
 * none. A quote within a string would be escaped, so only a key looks like one. */
static int64_t number_of(const kw_record *header, const char *key) {
    size_t n = strlen(key);
    for (size_t i = 0; i + n < header->length; ++i) {
        if (memcmp(header->payload + i, key, n) == 0) {
            int64_t number = -1;
            for (i += n; i < header->length && header->payload[i] >= '0' &&
                         header->payload[i] <= '9' && number < INT32_MAX;
                 ++i) {
                number = 10 * (number < 0 ? 0 : number) + header->payload[i] - '0';
            }
            return number;
        }
    }
    return -1;
}

static bool read_header(replay *run) {
    kw_record header;
    if (run->size < sizeof MAGIC || memcmp(run->bytes, MAGIC, sizeof MAGIC) != 0) {
        return bad_file(run, 0, "this is no journal: it does not begin as one");
    }
    run->at = sizeof MAGIC;
    const char *fault = kw_read_record(run->bytes, run->size, &run->at, &header);
    if (fault != NULL) {
        return bad_file(run, run->at, fault);
    }
    if (header.kind != KW_RECORD_HEADER) {
        return bad_file(run, header.offset, "the first record is no header");
    }
    if (number_of(&header, "\"format\":") != KW_JOURNAL_FORMAT) {
        return bad_file(run, header.offset, "a header of another format than this build's");
    }
    if (number_of(&header, "\"semantics\":") != KW_JOURNAL_SEMANTICS) {
        return bad_file(run, header.offset, "a header of other semantics than this build's");
    }
    return true;
}

/* Makes the world's records of what was run last, to be compared one by one. */
static void make_records(replay *run, int32_t claim) {
    run->made.n_bytes = 0;
    run->made_at = 0;
    kw_world_record(run->setup.world, claim, run->report.step_ticks, run->observation, &run->made);
}

static bool begin(replay *run, const kw_record *record) {
    kw_setup *setup = &run->setup;
    kw_status status = kw_setup_make(record, setup);
    if (status == KW_NO_MEMORY) {
        return bad_file(run, record->offset, "the memory is too small for this drive");
    }
    if (status != KW_OK) {
        return bad_file(run, record->offset, "a setup that the core refuses");
    }
    int32_t size = kw_world_record_size(setup->world);
    run->observation = calloc((size_t)kw_world_observation_length(setup->world), sizeof(int32_t));
    run->made.bytes = size < 0 ? NULL : calloc((size_t)size, 1);
    if (run->observation == NULL || run->made.bytes == NULL) {
        return bad_file(run, record->offset, "the memory is too small for this drive");
    }
    status =
        kw_world_reset(setup->world, setup->seed, setup->start, setup->n_goals, setup->goals,
                       setup->n_goal_changes, setup->goal_changes, run->observation, &run->report);
    if (status != KW_OK) {
        return bad_file(run, record->offset, "a start that the core refuses");
    }
    make_records(run, 0);
    return true;
}

/* ---- Step by step ---- */

/* Runs what an ask record asks for; one with a claim ends the drive without a tick. */
static bool run_ask(replay *run, const kw_record *record) {
    kw_reader from = {.bytes = record->payload, .size = record->length};
    (void)kw_read_i32(&from); /* the tick, compared like all else */
    kw_ask ask = {0};
    ask.speed_dmmps = kw_read_i32(&from);
    ask.steer_urad = kw_read_i32(&from);
    if (record->length != 3 * 4 + 1) {
        return bad_file(run, record->offset, "an ask of another length");
    }
    int32_t claim = record->payload[record->length - 1];
    kw_world *world = run->setup.world;
    kw_status status = claim != 0 ? kw_world_observe(world, run->observation, &run->report)
                                  : kw_world_step(world, run->setup.options.ticks_per_step, ask,
                                                  run->observation, &run->report, NULL);
    if (status == KW_BAD_ARGUMENT) {
        return bad_file(run, record->offset, "an ask outside the shell");
    }
    if (status != KW_OK) {
        return say(run, KW_REPLAY_DIFFERENT, record->offset,
                   "an ask was recorded, but the drive has ended before");
    }
    run->result.steps += 1;
    run->result.tick = run->report.tick;
    make_records(run, claim);
    return true;
}

static kw_replay_side side_of(const kw_record *record, size_t place) {
    kw_replay_side side = {.kind = record->kind};
    while (side.n_bytes < 8 && place < record->length) {
        side.bytes[side.n_bytes++] = record->payload[place++];
    }
    return side;
}

static bool is_all_compared(const replay *run) {
    return run->made_at == (size_t)run->made.n_bytes;
}

/* Compares a record of the file with the next that was made. */
static bool compare(replay *run, const kw_record *recorded) {
    kw_record again = {0};
    if (!is_all_compared(run)) {
        /* what this build has just made needs no doubt */
        (void)kw_read_record(run->made.bytes, (size_t)run->made.n_bytes, &run->made_at, &again);
    }
    size_t place = 0;
    if (recorded->kind == again.kind) {
        while (place < recorded->length && place < again.length &&
               recorded->payload[place] == again.payload[place]) {
            ++place;
        }
        if (place == recorded->length && place == again.length) {
            run->result.records += 1;
            return true;
        }
    }
    run->result.place = place;
    run->result.recorded = side_of(recorded, place);
    run->result.again = side_of(&again, place);
    return say(run, KW_REPLAY_DIFFERENT, recorded->offset, "a record differs");
}

/* The file has nothing more to compare, so there must be nothing more made. */
static bool check_all_compared(replay *run, size_t offset) {
    if (!is_all_compared(run)) {
        kw_record none = {.offset = offset};
        return compare(run, &none);
    }
    return true;
}

static bool check_end(replay *run, const kw_record *end) {
    kw_reader from = {.bytes = end->payload, .size = end->length};
    int32_t steps = kw_read_i32(&from);
    int32_t tick = kw_read_i32(&from);
    if (!check_all_compared(run, end->offset)) {
        return false;
    }
    if (end->length != 8 + KW_SHA256_BYTES || run->at != run->size) {
        return bad_file(run, end->offset, "an end of another length, or bytes behind it");
    }
    kw_sha256(run->bytes, end->offset, run->result.root);
    if (memcmp(run->result.root, end->payload + 8, KW_SHA256_BYTES) != 0) {
        return bad_file(run, end->offset, "the root is another than the bytes' own");
    }
    if (steps != run->result.steps || tick != run->result.tick) {
        return bad_file(run, end->offset, "the counts are others than the file's own");
    }
    return true;
}

/* Puts the shell where a record says, between two steps. */
static bool place(replay *run, const kw_record *record) {
    kw_reader from = {.bytes = record->payload, .size = record->length};
    kw_pose pose = {0};
    pose.x_m = kw_read_f64(&from);
    pose.y_m = kw_read_f64(&from);
    pose.heading_rad = kw_read_f64(&from);
    if (!check_all_compared(run, record->offset)) {
        return false;
    }
    if (record->length != 3 * sizeof(double)) {
        return bad_file(run, record->offset, "a place of another length");
    }
    if (kw_world_place(run->setup.world, pose) != KW_OK) {
        return bad_file(run, record->offset, "a place that the core refuses");
    }
    run->result.records += 1;
    return true;
}

/* Takes one record. Returns false where the replay ends, well or badly. */
static bool take(replay *run, const kw_record *record) {
    if (record->kind == KW_RECORD_HEADER ||
        (record->kind == KW_RECORD_SETUP && run->setup.world != NULL)) {
        return bad_file(run, record->offset, "a second record of a kind that comes once");
    }
    if (record->kind == KW_RECORD_SETUP) {
        return begin(run, record);
    }
    if (record->kind == KW_RECORD_END || record->kind == KW_RECORD_PLACE ||
        is_of_world(record->kind)) {
        if (run->setup.world == NULL) {
            return bad_file(run, record->offset, "this record comes before the setup");
        }
    }
    if (record->kind == KW_RECORD_ASK && is_all_compared(run) && !run_ask(run, record)) {
        return false;
    }
    if (record->kind == KW_RECORD_END) {
        (void)check_end(run, record);
        return false;
    }
    if (record->kind == KW_RECORD_PLACE) {
        return place(run, record);
    }
    return is_of_world(record->kind) ? compare(run, record) : true;
}

static void take_all(replay *run) {
    kw_record record;
    do {
        if (run->at == run->size) {
            (void)bad_file(run, run->at, "no end record: the file is cut here");
            return;
        }
        const char *fault = kw_read_record(run->bytes, run->size, &run->at, &record);
        if (fault != NULL) {
            (void)bad_file(run, run->at, fault);
            return;
        }
    } while (take(run, &record));
}

kw_replay kw_replay_journal(const uint8_t *bytes, size_t size) {
    replay run = {.bytes = bytes, .size = size, .result = {.reason = ""}};
    if (read_header(&run)) {
        take_all(&run);
    }
    kw_setup_end(&run.setup);
    free(run.observation);
    free(run.made.bytes);
    return run.result;
}
