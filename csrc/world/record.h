/* What the record of a drive needs of each tick, and of a world in the making. */
#ifndef KW_RECORD_H
#define KW_RECORD_H

#include "kw_world.h"

/* Bytes that the records' CRC-32 takes at a time, each with a table of its own. */
#define KW_CRC_SLICES 16

/* Fills the tables of the records' CRC-32, [KW_CRC_SLICES * 256]. */
void kw_crc_table(uint32_t *out_table);

/* Notes the digest of the whole state, on the ticks that the record asks for. */
void kw_record_tick(kw_world *world);

/* Forgets the digests of the last step. */
void kw_record_begin(kw_world *world);

#endif
