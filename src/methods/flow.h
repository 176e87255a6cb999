/* Estimates of how the fluid of one material flows in a scene: scales and dimensionless numbers. */
#ifndef OOZE_METHODS_FLOW_H
#define OOZE_METHODS_FLOW_H

#include "methods/method.h"

/* Length, speed and time scales of the fluid of a material, from the scene. */
struct OozeFlowScale {
    bool flows;      /* false: no particles of it, or only rigid particle bodies; the rest is 0 */
    bool soft;       /* only soft particle bodies: never relaxes */
    double length;   /* m: nozzle diameter, or thickness of the filled region */
    double height;   /* m: from the bottom to the top of the fluid */
    double extent;   /* m: largest side of its bounding box, including jets */
    double strike;   /* m/s: impact or stirring */
    double pour;     /* m/s: speed of a jet */
    double drop;     /* m: fall height of a jet */
    double duration; /* s: of the scene */
};

/* Numbers that do not apply are NAN. */
struct OozeFlow {
    OozeFlowScale scale;
    double speed;  /* m/s: the largest of these and of a collapsing heap */
    bool slumps;   /* the speed is that of a collapsing heap */
    bool pours;    /* the speed is that of a jet */
    bool stiffest; /* as stiff as the solver allows: wave and sag follow the step */
    double density;
    double nu;         /* kinematic viscosity at the rate speed/length, m2/s; INFINITY: elastic */
    double modulus;    /* kinematic, m2/s2 */
    double viscosity;  /* kinematic, of the Newtonian part, m2/s */
    double relaxation; /* s */
    double remembered; /* kinematic viscosity of the modes that relax, m2/s */
    double yield;      /* stress, kinematic, m2/s2; NAN: none */
    double reynolds, weissenberg, deborah;
    double bond, capillary, ohnesorge; /* with surface tension alone */
    double wave;                       /* m/s, of elastic shear; 0: none */
    double crossing;                   /* spacings per step */
    double diffusion;                  /* nu dt/d^2 of a step */
    double diffusion_length;           /* diffusion length of momentum per step, spacings */
    /* elastic sag over the height, of a material that never relaxes */
    double sag;
    double stands; /* m: largest height that the yield stress supports */
};

/* The context needs spacing, gravity, dt and materials. */
OozeFlow ooze_flow(const OozeStepContext *context, int material, const OozeFlowScale *scale);
/* Numerical viscosity that a method adds to the flow, m2/s; NAN: not measured. */
double ooze_flow_numerical(const OozeFlow *flow, const OozeMethod *method, double spacing);

#endif
