/* Interface of a method: one const struct. The world calls it; a method never calls the world. */
#ifndef OOZE_METHODS_METHOD_H
#define OOZE_METHODS_METHOD_H

#include "step/context.h"

typedef struct OozeAdvice OozeAdvice;           /* see advice.h */
typedef struct OozeExplanation OozeExplanation; /* see explain.h */
typedef struct OozeFlow OozeFlow;               /* see flow.h */
typedef struct OozeFlowScale OozeFlowScale;
typedef struct OozeChoice OozeChoice; /* see choice.h */
typedef struct OozeChoiceQuestion OozeChoiceQuestion;

enum { OOZE_METHOD_ARRAYS_MAX = 8 };

/* A fluid in steady shear at a rate of one over its relaxation time, over theory; NAN: there is no
   such error, or it was not measured. */
typedef struct OozeStepBias {
    double share; /* the step over the relaxation time */
    double viscosity, normal_stress;
    bool beyond; /* the step is longer than any that was measured: the values are of that one */
} OozeStepBias;

/* A setting that earlier versions had, or a choice of a setting. */
typedef struct OozeGoneSetting {
    const char *key;
    const char *choice; /* NULL: the whole setting is gone */
    /* Of a choice: a setting that went with it. Numbers of choices are those of then in frames that
       have this setting. NULL: the choice has a new name, and its number. */
    const char *with;
    /* The value that has no effect: runs that were saved with it continue. NAN: every value,
       because the setting acted only together with another one that is gone. Of a choice of a
       setting that is still there, the number of the choice that scenes of such runs are read
       with. */
    double neutral;
    const char *instead; /* what to use */
    const char
        *neutral_choice; /* the neutral value as scenes of runs write it, where not a number */
} OozeGoneSetting;

/* A particle field of float that earlier versions saved and other fields have replaced. */
typedef struct OozeGoneField {
    const char *name;
    int components;
    /* Fills the fields that have replaced it; particles, settings and materials of the context are
       those of the frame, whose field has a row for each particle. */
    void (*convert)(const OozeStepContext *context, const OozeFieldView *from);
} OozeGoneField;

/* Numbers of a method in `kept_by_method` of solids, saved as a table of the state. */
typedef struct OozeSolidState {
    const char *name, *help;
    const char *columns[OOZE_SOLID_KEPT_NUMBERS];
} OozeSolidState;

typedef struct OozeMethod {
    OozeMethodInfo info;
    const void *own; /* for the method's own functions; may be NULL */
    const OozeGoneSetting *gone_settings;
    int gone_count;
    const OozeFieldInfo *fields; /* fields that it adds to the particle store */
    int field_count;
    /* Fields that only some settings or materials need: a world has such a field once `wants_field`
       is true for one of its materials. Particles of other materials have its initial value, and
       all have it again where a setting changes so that no material wants the field. */
    const OozeFieldInfo *optional_fields;
    int optional_field_count;
    bool (*wants_field)(const double *params, const OozeMaterial *material, int field);
    const OozeGoneField *gone_fields;
    int gone_field_count;
    /* Arrays of the saved state whose length is not the number of particles: see save. */
    const OozeFieldInfo *arrays;
    int array_count;                  /* at most OOZE_METHOD_ARRAYS_MAX */
    const char *const *material_keys; /* material keys it uses, NULL-terminated; `ooze check`
                                         reports others as ignored */
    double support_ratio;             /* default of support over spacing; 0: 2.2 */
    const char *unbounded_field;      /* uint8 field: not 0 where links of a particle may be longer
                                         than `reach`; NULL: they never are */
    bool ignores_fluid;               /* its particles do not feel each other: no lists are built */
    bool uses_boundary_neighbours;
    bool takes_bodies; /* other methods refuse them */
    /* Coulomb coefficient that acts on its fluid at a solid; INFINITY: fluid sticks to it. NULL:
       ooze_solid_fluid_friction. */
    double (*wall_friction)(const OozeSolid *solid);
    bool sticks_to_solids;             /* uses `stick_distance` and `stick_strength` of solids */
    bool pushes_solids;                /* uses `dynamic`: other methods refuse dynamic solids */
    const OozeSolidState *solid_state; /* NULL: it keeps nothing of dynamic solids */
    bool records_stress;               /* writes `stress` of the context where it is wanted */
    bool uses_tables;                  /* temperature tables of materials change its coefficients */
    bool divides_unstable_steps;       /* steps longer than stable_step are divided into substeps */
    bool traces_paths; /* exact for long travel: steps are not divided into substeps */
    /* Particle fields, besides the position, that a step reads at neighbours, NULL-terminated: see
       halo.h. NULL: steps cannot be taken by several processes. */
    const char *const *ghost_fields;
    int ghost_layers; /* of cells around own particles whose particles are ghosts: 2, or 0: 1 */
    /* Why these settings, materials and solids cannot be used by several processes, as the end of a
       sentence; NULL: they can. May be NULL itself. */
    const char *(*refuses_ranks)(const OozeStepContext *context);
    bool shares_bodies; /* particle bodies may be shared by several processes */

    /* Private data that lives as long as the world; saved numbers belong in fields, or in arrays.
       May be NULL with destroy. */
    OozeStatus (*create)(void **data, OozeError *error);
    void (*destroy)(void *data);
    uint64_t (*bytes)(const void *data); /* that grow with the particles; NULL: none */
    /* save sets count and data of each array, valid until the next step. restore reads them, after
       particles and solids are restored; name, type and components of `views` are those of the
       table and rows have no gaps, but contents must be checked. */
    OozeStatus (*save)(void *data, OozeFieldView *views, OozeError *error);
    OozeStatus (*restore)(void *data, const OozeStepContext *context,
                          const OozeFieldView *const *views, OozeError *error);
    /* Of several processes, for a method with arrays: keeps one of `parts` parts of the rows of all
       after restore. The arrays that the processes save are then parts of those of all, in their
       order. */
    OozeStatus (*keep_part)(void *data, int part, int parts, OozeError *error);
    OozeStatus (*step)(void *data, OozeStepContext *context, OozeError *error);
    /* Fails where a step would refuse the settings, materials and bodies of the context; may be
       NULL. */
    OozeStatus (*check)(const OozeStepContext *context, OozeError *error);
    /* Largest stable time step for the present materials, or INFINITY; NULL: stable at any step.
       With it `ooze check` also warns of travel beyond a fraction of a spacing a step. */
    double (*stable_step)(const OozeStepContext *context);
    /* Largest distance, m, at which a particle acts on another particle or on a solid, apart from
       links of unbounded length; NULL: the support. */
    double (*reach)(const OozeStepContext *context);
    /* Marks those of `count` particles that have a link longer than the support, or a link to a
       particle that is not among them. Of several processes all call it, and UINT32_MAX stands for
       a particle of another one; `context` has a halo then, whose ghosts are outdated. NULL: no
       link is longer than `reach`, except those of particles with unbounded_field. */
    OozeStatus (*mark_linked)(void *data, const OozeStepContext *context, const uint32_t *particles,
                              int count, bool *linked, OozeError *error);
    /* Whether there may be such links, with these materials; NULL: always. A step of a world whose
       links are not in host memory is divided instead of letting particles fly freely. */
    bool (*may_link)(const OozeStepContext *context);
    /* Warns of materials and settings that do not act as they suggest, for `ooze check`; may be
       NULL. */
    void (*advise)(const OozeStepContext *context, const OozeAdvice *advice);
    /* Lists the stages and corrections that act in a step with these settings, materials and
       solids, from what the step itself derives, in at most ten lines; for `ooze check --explain`.
       NULL: there is no list. */
    OozeStatus (*explain)(const OozeStepContext *context, const OozeExplanation *explanation,
                          OozeError *error);
    /* One line on how the elastic motion of a material is integrated in time, for `ooze check`;
       empty where there is none. `soft`: all of it is soft bodies. NULL: there is no choice. */
    void (*describe_order)(const OozeStepContext *context, int material, bool soft, char *text,
                           size_t size);
    /* Settings that may be `auto`, NULL-terminated, and the function that chooses them; may be NULL
       together. The time step may always be `auto`. */
    const char *const *chosen_keys;
    void (*choose)(const OozeChoiceQuestion *question, OozeChoice *choice);
    /* Presets (derive.h). derive_params sets settings that presets need and the scene leaves out,
       `flows` being one a material; those of materials without a preset have scale.flows false.
       derive_material replaces the numbers of a preset by those of the method, for the flow of the
       measured numbers, and returns the effects that they show. measured_material is the reverse:
       it gives the measured numbers of what the method shows. Each may be NULL: the method has no
       other numbers than the measured ones. */
    const char *flow_depends_on; /* what the flow of the same numbers depends on; NULL: nothing */
    void (*derive_params)(const OozeStepContext *context, const OozeFlow *flows, double *params);
    unsigned (*derive_material)(const OozeStepContext *context, const OozeFlow *flow,
                                OozeMaterial *material);
    void (*measured_material)(const OozeStepContext *context, const OozeFlowScale *scale,
                              OozeMaterial *material);
    /* Numerical kinematic viscosity over speed times spacing, measured on the decay of Taylor-Green
       vortices; 0: not measured. */
    double numerical_viscosity;
    /* What a step of `share` relaxation times does to a fluid in steady shear; NULL: not
       measured. */
    OozeStepBias (*step_bias)(const OozeStepContext *context, const OozeFlow *flow, double share);
    /* Value of a setting in frames that were written before it was saved; NULL: its default. */
    double (*earlier_param)(int param);
} OozeMethod;

/* The one list of methods. */
extern const OozeMethod *const ooze_method_list[];
extern const int ooze_method_list_count;
const OozeMethod *ooze_method_find(const char *name); /* NULL: unknown */
/* `given`, or the default of the method where that is NAN. */
double ooze_method_support_ratio(const OozeMethod *method, double given);
/* Value in effect of a setting: of `params`, whose NAN are not given, or its default. */
double ooze_method_param(const OozeMethod *method, const double *params, int param);
/* The row of a setting that is gone, or of a choice; NULL: there is none. */
const OozeGoneSetting *ooze_method_gone(const OozeMethod *method, const char *key,
                                        const char *choice);
/* Whether the method uses this key of a material. */
bool ooze_method_uses(const OozeMethod *method, const char *key);
/* Whether the setting may be `auto`. */
bool ooze_method_chooses(const OozeMethod *method, const char *key);

#endif
