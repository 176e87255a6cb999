/* Ooze: particle-based viscoelastic fluids. Include this one header. */
#ifndef OOZE_H
#define OOZE_H

#include "ooze/frame.h"
#include "ooze/look.h"
#include "ooze/render.h"
#include "ooze/scene.h"
#include "ooze/shape.h"
#include "ooze/status.h"
#include "ooze/surface.h"
#include "ooze/types.h"
#include "ooze/world.h"

#endif
