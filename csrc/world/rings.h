/* Rings of rays from one point, above and below the level: every solid's sides and top, and
 * the ground, in columns that share a horizontal direction.
 */
#ifndef KW_RINGS_H
#define KW_RINGS_H

#include "scene.h"

/* The most that one cast takes. */
#define KW_RINGS_COLUMNS_MAX 24
#define KW_RINGS_MAX 16

/* Column c points along the unit vector (ux[c], uy[c]); ring j climbs slopes[j] metres a
 * horizontal metre. Ranges along the rays, out_range_m[c * n_rings + j]; infinite where
 * nothing is met within range_m. The same bits as kw_cast_ray gives ray by ray. */
void kw_cast_rings(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                   double z_m, int32_t n_columns, const double *ux, const double *uy,
                   int32_t n_rings, const double *slopes, double range_m, double *out_range_m);

#endif
