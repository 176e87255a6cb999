/* Islands: dynamic solids that contacts and joints connect. Solids with a prescribed motion connect
   nothing, since they do not react. */
#include "ode/substep.h"

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]]; /* path halving */
        i = parent[i];
    }
    return i;
}

static void connect(OozeOdeSubstep *s, int a, int b)
{
    const OozeSolid *solids = s->stage->solids;
    if (b >= 0 && ooze_solid_is_dynamic(&solids[a]) && ooze_solid_is_dynamic(&solids[b])) {
        int p = root_of(s->island, a), q = root_of(s->island, b);
        s->island[p > q ? p : q] = p < q ? p : q;
    }
}

void ooze_ode_assign_solvers(OozeOdeSubstep *s)
{
    const OozeDynamicStage *stage = s->stage;
    for (int i = 0; i < stage->count; i++) {
        s->island[i] = i;
        s->island_contacts[i] = 0;
        s->solver[i] = OOZE_ODE_NONE;
    }
    for (int k = 0; k < s->contact_count; k++) {
        const OozeOdeContact *c = &s->contacts[k];
        connect(s, c->a, c->b);
        s->solver[c->a] = s->solver[c->b] = OOZE_ODE_EXACT;
    }
    for (int k = 0; k < stage->joint_count; k++) {
        const OozeJoint *joint = &stage->joints[k];
        connect(s, joint->solid, joint->other);
        s->solver[joint->solid] = OOZE_ODE_EXACT;
        if (joint->other >= 0) {
            s->solver[joint->other] = OOZE_ODE_EXACT;
        }
    }
    for (int k = 0; k < s->contact_count; k++) {
        s->island_contacts[root_of(s->island, s->contacts[k].a)]++;
    }
    for (int i = 0; i < stage->count; i++) {
        if (s->island_contacts[root_of(s->island, i)] > stage->exact_contacts_max) {
            s->solver[i] = OOZE_ODE_ITERATIVE;
        }
    }
}

bool ooze_ode_has_contact(const OozeOdeSystem *system, const OozeOdeContact *contact)
{
    return system->substep->solver[contact->a] == system->islands;
}

bool ooze_ode_has_joint(const OozeOdeSystem *system, const OozeJoint *joint)
{
    const OozeOdeSubstep *s = system->substep;
    bool first = ooze_solid_is_dynamic(&s->stage->solids[joint->solid]);
    return s->solver[first ? joint->solid : joint->other] == system->islands;
}
