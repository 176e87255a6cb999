/* How the fluid of one material will flow in a scene, in numbers, before it runs. */
#ifndef OOZE_METHODS_FLOW_H
#define OOZE_METHODS_FLOW_H

#include "methods/method.h"

/* How large the fluid of a material is and how fast it is moved: whoever knows the scene tells. */
typedef struct OozeFlowScale {
    bool flows;      /* false: there is none of it, or rigid bodies alone; the rest is 0 */
    bool soft;       /* soft bodies of it alone: never relaxes */
    double length;   /* m: across a nozzle, or the thickness of what was filled */
    double height;   /* m: from the bottom to the top of the fluid */
    double extent;   /* m: its longest side, jets counted */
    double strike;   /* m/s: thrown, stirred or falling */
    double pour;     /* m/s: out of a nozzle */
    double drop;     /* m: that a jet falls until it meets something */
    double duration; /* s: of the scene */
} OozeFlowScale;

/* Numbers that do not apply are NAN. */
struct OozeFlow {
    OozeFlowScale scale;
    double speed;  /* m/s: the fastest of these and of a heap that comes down */
    bool slumps;   /* the last */
    bool pours;    /* that of a jet */
    bool stiffest; /* as stiff as the solver allows: wave and sag follow the step */
    double density;
    double nu;         /* kinematic viscosity at the rate speed/length, m2/s; INFINITY: elastic */
    double modulus;    /* kinematic, m2/s2 */
    double viscosity;  /* kinematic: what of it does not remember, m2/s */
    double relaxation; /* s */
    double yield;      /* stress, kinematic, m2/s2; NAN: none */
    double reynolds, weissenberg, deborah;
    double bond, capillary, ohnesorge; /* with surface tension alone */
    double wave;                       /* m/s, of elastic shear; 0: none */
    double crossing;                   /* spacings it runs in a step */
    double diffusion;                  /* nu dt/d^2 of a step */
    double way;                        /* spacings over which a step spreads momentum */
    double sag;                        /* share of the height, of what never relaxes */
    double stands;                     /* m: height up to which it does not flow under its weight */
    double numerical; /* viscosity that the method adds where it is stirred, m2/s */
};

/* The context needs spacing, gravity, dt and materials. */
OozeFlow ooze_flow(const OozeStepContext *context, int material, const OozeFlowScale *scale);

#endif
