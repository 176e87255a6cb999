/* Who knows contacts and joints of solids, where this build has someone. */
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
