/* Which particles of one material hang together. */
#ifndef OOZE_METHODS_CONFORMATION_PIECES_H
#define OOZE_METHODS_CONFORMATION_PIECES_H

#include <stdatomic.h>

#include "methods/conformation/workspace.h"

/* Per particle the least particle of its piece; both arrays hold one number a particle. */
void ooze_conformation_find_pieces(const OozeConformationStep *step, _Atomic uint32_t *scratch,
                                   uint32_t *root);

#endif
