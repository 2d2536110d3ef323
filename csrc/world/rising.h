/* Many rays from one point, level or rising, in columns that share a horizontal direction. */
#ifndef KW_RISING_H
#define KW_RISING_H

#include "scene.h"

#define KW_RISING_COLUMNS_MAX 32
#define KW_RISING_SLOPES_MAX 16

/* Rays from one point: column c points along the unit vector (ux[c], uy[c]), and has
 * n_slopes rays of slopes[c * n_slopes + j] >= 0, dz a horizontal metre. */
typedef struct {
    int32_t n_columns;
    int32_t n_slopes;
    double ux[KW_RISING_COLUMNS_MAX];
    double uy[KW_RISING_COLUMNS_MAX];
    double slopes[KW_RISING_COLUMNS_MAX * KW_RISING_SLOPES_MAX];
} kw_rising_rays;

/* Ranges along the rays, out_range_m[n_columns * n_slopes]; infinite where nothing is met
 * within range_m. The same bits as kw_cast_ray gives ray by ray. The rays are turned by
 * (cos_h, sin_h) about the vertical. */
void kw_cast_rising(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                    double z_m, double cos_h, double sin_h, const kw_rising_rays *rays,
                    double range_m, double *out_range_m);

#endif
