/* Rays in closed form against vertical faces, cylinders, tops and the ground.
 *
 * A ray that passes within 10 pm of a vertical edge, a face or a tangent post meets it: so
 * none slips between two solids that share a corner. The range is that of the true face.
 * Equal ranges give the solid of the lowest index; a solid goes before the ground.
 * Every answer is the same bits whether rays are cast one by one, in a fan, or by index.
 */
#ifndef KW_RAYS_H
#define KW_RAYS_H

#include "scene.h"

/* Level rays from one point z_m >= 0 above ground along unit vectors (ux[n], uy[n]).
 * out_range_m[n] is infinite, out_solid[n] (may be NULL) KW_SOLID_NONE, where nothing is
 * met within range_m. */
void kw_cast_fan(const kw_scene *scene, const uint8_t *present, double x_m, double y_m, double z_m,
                 int32_t n, const double *ux, const double *uy, double range_m, double *out_range_m,
                 int32_t *out_solid);

/* One ray along the horizontal unit vector (ux, uy) that climbs slope metres a horizontal
 * metre. Returns the range along the ray; *out_solid (may be NULL) may be
 * KW_SOLID_GROUND. */
double kw_cast_ray(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                   double z_m, double ux, double uy, double slope, double range_m,
                   int32_t *out_solid);

#endif
