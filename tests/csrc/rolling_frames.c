/* Feeds a rolling map with the frames of a file and prints for each what the ledger takes of
 * the core: the figures of the result and the SHA-256 of what was published. The file is words
 * of eight bytes, lowest first: the bounds, then for each frame its points' number, whether a
 * pose came, x, y, z, yaw, stamp, bearings, the corridor's heights and corners, the points.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kw_grid.h"
#include "replay/sha256.h"

#define POINTS_MAX 200000
#define BYTES_MAX (64 << 20)

static int read_word(FILE *file, uint64_t *out_word)
{
    uint8_t bytes[8];
    if (fread(bytes, 1, 8, file) != 8) {
        return 0;
    }
    *out_word = 0;
    for (int i = 7; i >= 0; i--) {
        *out_word = *out_word << 8 | bytes[i];
    }
    return 1;
}

static int64_t whole(FILE *file)
{
    uint64_t word = 0;
    read_word(file, &word);
    return (int64_t)word;
}

static double number(FILE *file)
{
    const uint64_t word = (uint64_t)whole(file);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint8_t *put(uint8_t *at, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++) {
        *at++ = (uint8_t)(value >> (8 * i));
    }
    return at;
}

static void print_published(const kw_rolling *map, uint8_t *bytes)
{
    int64_t n_components;
    int64_t n_runs;
    const int64_t *figures = (const int64_t *)kw_rolling_components(map, &n_components);
    const int32_t *runs = (const int32_t *)kw_rolling_runs(map, &n_runs);
    const int64_t n_figures = n_components * (int64_t)(sizeof(kw_rolling_component) / 8);
    uint8_t *at = bytes;
    for (int64_t i = 0; i < n_figures; i++) {
        at = put(at, (uint64_t)figures[i], 8);
    }
    for (int64_t i = 0; i < n_runs * (int64_t)(sizeof(kw_rolling_run) / 4); i++) {
        at = put(at, (uint32_t)runs[i], 4);
    }
    uint8_t digest[KW_SHA256_BYTES];
    kw_sha256(bytes, (size_t)(at - bytes), digest);
    for (int i = 0; i < KW_SHA256_BYTES; i++) {
        printf("%02x", digest[i]);
    }
    puts("");
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    double *points = malloc(3 * POINTS_MAX * sizeof *points);
    uint8_t *bytes = malloc(BYTES_MAX);
    if (!file || !points || !bytes) {
        return 2;
    }
    kw_rolling_bounds bounds;
    for (size_t i = 0; i < sizeof bounds / 8; i++) {
        ((int64_t *)&bounds)[i] = whole(file);
    }
    kw_rolling *map;
    if (kw_rolling_create(&bounds, &map) != KW_OK) {
        return 3;
    }
    uint64_t n;
    while (read_word(file, &n)) {
        const int64_t has_pose = whole(file);
        double at[4];
        for (int i = 0; i < 4; i++) {
            at[i] = number(file);
        }
        const kw_rolling_pose pose = {at[0], at[1], at[2], at[3]};
        const int64_t stamp = whole(file);
        const int64_t bearings = whole(file);
        kw_rolling_piece piece;
        kw_rolling_corridor corridor = {.n_pieces = 1, .pieces = &piece};
        corridor.low_um = whole(file);
        corridor.high_um = whole(file);
        for (int i = 0; i < KW_ROLLING_CORNERS; i++) {
            piece.x_um[i] = whole(file);
        }
        for (int i = 0; i < KW_ROLLING_CORNERS; i++) {
            piece.y_um[i] = whole(file);
        }
        for (uint64_t i = 0; i < 3 * n && n <= POINTS_MAX; i++) {
            points[i] = number(file);
        }
        kw_rolling_result result;
        if (kw_rolling_frame(map, (int64_t)n, points, has_pose ? &pose : NULL, stamp, &corridor,
                             bearings, &result) != KW_OK) {
            return 4;
        }
        for (size_t i = 0; i < sizeof result / 8; i++) {
            printf("%" PRId64 " ", ((const int64_t *)&result)[i]);
        }
        print_published(map, bytes);
    }
    kw_rolling_destroy(map);
    free(points);
    free(bytes);
    fclose(file);
    return 0;
}
