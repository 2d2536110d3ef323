/* 26-neighbour components of cells in a window, by runs along z.
 *
 * The window is a square of columns of bits about the pose. Runs are found column by
 * column in the order of cells, and joined with those of the four neighbouring columns that
 * came before (He, Chao and Suzuki, A run-based two-scan labeling algorithm, 2008, carried to
 * three dimensions). The root of a component is its first run, so its number follows from its
 * least cell and from nothing else.
 */
#ifndef KW_GRID_COMPONENTS_H
#define KW_GRID_COMPONENTS_H

#include "grid/voxels.h"

typedef struct {
    kw_voxel low;      /* its first cell, in `map` */
    int32_t length;    /* cells */
    int32_t parent;    /* toward the first run of its component */
    int32_t component; /* number in the order of first cells, before any split */
    int32_t rank;      /* cells of the component that come before */
    int32_t row;       /* for the caller: where its cells are counted */
} kw_component_run;

typedef struct {
    kw_voxel corner; /* the least voxel that the window covers */
    int32_t side;    /* columns a side, and cells in a column */
    int32_t stride;  /* side and a border of one on either hand */
    int32_t words;   /* of 64 bits a column */
    int32_t row_words;
    uint64_t *bits;     /* [(row * stride + col) * words + word] */
    uint64_t *columns;  /* which columns are not empty: [row * row_words + word] */
    int32_t *first_run; /* of a column that is not empty */
    int32_t *n_runs;    /* of such a column */
    kw_component_run *runs;
    int32_t *sizes; /* cells, by component */
    int32_t n_all_runs;
    int32_t n_components;
} kw_components;

/* For up to `limit` cells, none farther than `reach` cells from the middle. */
kw_status kw_components_create(int32_t reach, int32_t limit, kw_components *out_components);
void kw_components_destroy(kw_components *components);

/* Empties the window and lays its middle on a voxel. */
void kw_components_begin(kw_components *components, kw_voxel middle);

/* Adds a cell of the window, once or more often. */
void kw_components_add(kw_components *components, kw_voxel voxel);

/* Finds runs and components. */
void kw_components_label(kw_components *components);

/* The run that holds a cell that was added. */
const kw_component_run *kw_components_run_of(const kw_components *components, kw_voxel voxel);

#endif
