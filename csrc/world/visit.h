/* Walks over the solids that may reach into a box. */
#ifndef KW_VISIT_H
#define KW_VISIT_H

#include "scene.h"

typedef void (*kw_visitor)(void *context, const kw_solid *solid);

/* Calls visit for every present solid whose outline may reach into the box of `map`. Some
 * that do not may be visited too, some more than once, in no stated order: what is
 * gathered must not depend on that. */
void kw_scene_visit(const kw_scene *scene, const uint8_t *present, double low_x_m, double low_y_m,
                    double high_x_m, double high_y_m, kw_visitor visit, void *context);

#endif
