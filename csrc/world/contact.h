/* Contact and clearance of a rectangle with the solids of a scene, exact. */
#ifndef KW_CONTACT_H
#define KW_CONTACT_H

#include "scene.h"

/* What a rectangle touches. In contact with any solid, clearance_m is 0 and the nearest
 * solid is the deepest; else depth_m is 0 and the deepest KW_SOLID_NONE. */
typedef struct {
    int32_t n;                       /* solids in contact, at most KW_CONTACTS_MAX */
    int32_t solids[KW_CONTACTS_MAX]; /* of lowest index, ascending */
    int32_t deepest;                 /* lowest index on a tie, as is the nearest */
    double depth_m;                  /* least way out of the deepest */
    double clearance_m;              /* infinite, with nearest NONE, without solids */
    int32_t nearest;
} kw_touch;

/* The rectangle is centred on (x_m, y_m), its length along (cos_h, sin_h).
 * hint_nearest, a solid or KW_SOLID_NONE, only saves time. */
void kw_scene_touch(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                    double cos_h, double sin_h, double half_length_m, double half_width_m,
                    int32_t hint_nearest, kw_touch *out);

#endif
