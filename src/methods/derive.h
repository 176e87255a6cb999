/* From the measured numbers of a material (viscosity, modulus, relaxation time, yield stress) to
   those of a method, and back.

   The numbers of presets are measured ones. A method that shows less than all of them has a
   function `derive_material`, which replaces them by the numbers that come nearest; a scene's own
   numbers are never replaced. `measured_material` is the reverse: the measured numbers of what the
   method shows, with which `ooze check` describes the flow. */
#ifndef OOZE_METHODS_DERIVE_H
#define OOZE_METHODS_DERIVE_H

#include "methods/effects.h"
#include "methods/flow.h"

/* Whether a material keeps its shape while the scene lasts: it is elastic below its yield stress,
   or relaxes more slowly than the scene ends and carries its weight. */
bool ooze_flow_holds(const OozeStepContext *context, const OozeFlow *flow);
/* Modulus of a material that holds, Pa. Of several modes that of a single one with their viscosity
   and their mean relaxation time: the fast ones have relaxed, and the normal stresses of a slow
   flow, 2 sum G tau^2 rate^2, are the same. */
double ooze_flow_modulus(const OozeFlow *flow);
/* Viscosity of a material, Pa s: at the rate of its flow, yield stress over that rate included
   (Bingham 1916); of one that holds, of its Newtonian part. */
double ooze_flow_viscosity(const OozeFlow *flow);

/* Whether a fluid that creeps under its weight is still thicker than so many spacings when the
   scene ends. A column of height H and Trouton's viscosity 3 eta comes down at the rate rho g H/(6
   eta), since it is compressed by rho g H/2 on average. Where particles rest in a layer of that
   thickness, fluids that have come to it have the same front, whatever their viscosity. */
bool ooze_flow_stays_thicker(const OozeStepContext *context, const OozeFlow *flow, double layer);

/* Materials with presets, and what the user has stated. */
typedef struct OozePresets {
    const bool *preset;        /* per material: it has one */
    const OozeFlow *flows;     /* per material: of the measured numbers */
    const uint64_t *stated;    /* per material: bit i: number i stays */
    const bool *stated_params; /* per setting: it stays */
} OozePresets;

/* Derives the settings and the numbers of materials with presets. `context` has the measured
   numbers, each at one temperature, and `params` as its settings; replaces those of `params` and
   `materials` that are not stated. `shown`, which may be NULL, gets the effects per material. */
void ooze_derive_presets(const OozeMethod *method, const OozeStepContext *context,
                         const OozePresets *presets, double *params, OozeMaterial *materials,
                         unsigned *shown);

/* Gives a material a viscosity and no other stress. */
void ooze_derive_viscosity(double viscosity, OozeMaterial *material);
/* `derive_material` of methods with a viscosity alone. */
unsigned ooze_derive_newtonian(const OozeStepContext *context, const OozeFlow *flow,
                               OozeMaterial *material);
/* Of methods with one Maxwell mode and a solvent: beyond its yield stress a material is
   Newtonian. */
unsigned ooze_derive_maxwell(const OozeStepContext *context, const OozeFlow *flow,
                             OozeMaterial *material);

/* The effects of the material numbers that the method uses itself. */
unsigned ooze_method_effects(const OozeMethod *method);
/* Whether it shows any effect of presets: in ballistic, without stresses, all materials fly
   alike. */
bool ooze_method_shows_presets(const OozeMethod *method);
/* Replaces the numbers of a material by the measured ones of what the method shows. */
void ooze_method_measure(const OozeMethod *method, const OozeStepContext *context,
                         const OozeFlowScale *scale, OozeMaterial *material);

#endif
