/* A level sector ahead of a sensor, and where a solid comes nearest within it. */
#ifndef KW_SECTOR_H
#define KW_SECTOR_H

#include "sensor.h"
#include "visit.h"

/* A place this far outside a border still counts as within, and a foot this far past a
 * face's end as on it, so that what stands at exactly the half angle, or begins exactly on
 * the axis, is seen in every turned or mirrored scene. */
#define KW_BORDER_M 1e-11

typedef struct {
    double x_m;
    double y_m;
    double z_m;
    double range_m;
    double cos_h; /* of the axis in `map` */
    double sin_h;
    double cos_half;
    double sin_half;
} kw_sector;

/* A place on a solid's surface, relative to the sensor. */
typedef struct {
    double dx_m;
    double dy_m;
    double distance_m;
    bool faces; /* the foot of a perpendicular, or the nearest point of a post */
} kw_place;

#define KW_PLACES_MAX 8

kw_sector kw_sector_of(const kw_sensor *sensor, const kw_view *view);

/* Whether (dx, dy) from the sensor lies in the sector. */
bool kw_sector_holds(const kw_sector *sector, double dx_m, double dy_m);

/* The places within the sector where the surface of a solid can be nearest: feet, corners,
 * and where a border meets it; distance 0 alone where the sensor stands inside. A solid
 * lower than the sensor has none. Returns how many. */
int32_t kw_sector_places(const kw_sector *sector, const kw_solid *solid,
                         kw_place out[KW_PLACES_MAX]);

/* Whether nothing stands between the sensor and a place. */
bool kw_sector_sees(const kw_sector *sector, const kw_view *view, const kw_place *place);

/* Visits every solid that may reach into the sector, as kw_scene_visit does. */
void kw_sector_visit(const kw_sector *sector, const kw_view *view, kw_visitor visit, void *context);

#endif
