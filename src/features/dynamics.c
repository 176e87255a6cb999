/* The solver of contacts and joints of dynamic solids, if this build has one. */
#include "world/world.h"

#ifdef OOZE_WITH_ODE
#include "ode/dynamics.h"
#endif

const OozeDynamics *ooze_dynamics_find(void)
{
#ifdef OOZE_WITH_ODE
    return &ooze_ode_dynamics;
#else
    return NULL;
#endif
}
