/* What a method is: one const struct. The world calls it; a method never calls the world. */
#ifndef OOZE_METHODS_METHOD_H
#define OOZE_METHODS_METHOD_H

#include "solvers/step_context.h"

typedef struct OozeAdvice OozeAdvice; /* see advice.h */
typedef struct OozeFlow OozeFlow;     /* see flow.h */
typedef struct OozeChoice OozeChoice; /* see choice.h */
typedef struct OozeChoiceQuestion OozeChoiceQuestion;

enum { OOZE_METHOD_ARRAYS_MAX = 8 };

typedef struct OozeMethod {
    OozeMethodInfo info;
    const OozeFieldInfo *fields; /* rows it adds to the particle store */
    int field_count;
    /* Rows that only some materials need: a world has such a row from when `wants_field` first says
       so of one of its materials. Particles of others have its initial value. */
    const OozeFieldInfo *material_fields;
    int material_field_count;
    bool (*wants_field)(const OozeMaterial *material, int field);
    /* Arrays of its own that belong to the state and have rows of another number than particles:
       see save. */
    const OozeFieldInfo *arrays;
    int array_count;                  /* at most OOZE_METHOD_ARRAYS_MAX */
    const char *const *material_keys; /* material numbers it uses, NULL-terminated: others are
                                         reported as ignored by `ooze check` */
    double support_ratio; /* of the kernel's support to the spacing, where none is given; 0: 2.2 */
    bool uses_fluid_neighbours;
    bool uses_boundary_neighbours;
    bool takes_bodies;  /* other methods refuse them */
    bool pushes_solids; /* uses `dynamic`: other methods refuse dynamic solids */
    bool uses_tables;   /* of temperature: others leave a material's numbers as they are */
    bool traces_paths;  /* loses nothing by long substeps: steps are not cut */

    /* Private data that lives as long as the world; saved numbers belong in fields, or in arrays.
       May be NULL with destroy. */
    OozeStatus (*create)(void **data, OozeError *error);
    void (*destroy)(void *data);
    uint64_t (*bytes)(const void *data); /* of it that grow with the particles; NULL: none */
    /* Gives count and data of each of the arrays, which last until the next step; and takes them
       back, when particles and solids are there again. Of `views` name, type and components are as
       in the table, rows without gaps; all else is to be checked. */
    OozeStatus (*save)(void *data, OozeFieldView *views, OozeError *error);
    OozeStatus (*restore)(void *data, const OozeStepContext *context,
                          const OozeFieldView *const *views, OozeError *error);
    OozeStatus (*step)(void *data, OozeStepContext *context, OozeError *error);
    /* Largest stable time step for the present materials, or INFINITY. `ooze check` then also warns
       where something crosses too much of a spacing a step. NULL: the method is exact at any step.
       */
    double (*stable_step)(const OozeStepContext *context);
    /* What these materials and settings will not do as asked, for `ooze check`; may be NULL. */
    void (*advise)(const OozeStepContext *context, const OozeAdvice *advice);
    /* Settings that a scene may leave open (`auto`), NULL-terminated, and the function that chooses
       them; may be NULL together. The time step may always be left open. */
    const char *const *chosen_keys;
    void (*choose)(const OozeChoiceQuestion *question, OozeChoice *choice);
} OozeMethod;

/* The one list of methods. */
extern const OozeMethod *const ooze_method_list[];
extern const int ooze_method_list_count;
const OozeMethod *ooze_method_find(const char *name); /* NULL: unknown */
/* The ratio that is given, or the method's own where it is not a number. */
double ooze_method_support_ratio(const OozeMethod *method, double given);
/* Whether it makes something of that number of a material. */
bool ooze_method_uses(const OozeMethod *method, const char *key);

#endif
