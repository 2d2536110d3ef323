/* What the record of a drive needs of each tick, and of a world in the making. */
#ifndef KW_RECORD_H
#define KW_RECORD_H

#include "kw_world.h"

/* Notes the digest of the whole state, on the ticks that the record asks for. */
void kw_record_tick(kw_world *world);

/* Forgets the digests of the last step. */
void kw_record_begin(kw_world *world);

#endif
