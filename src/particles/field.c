#include "particles/field.h"

size_t ooze_field_type_size(OozeFieldType type)
{
    static const size_t sizes[OOZE_FIELD_TYPE_COUNT] = {
        [OOZE_FIELD_FLOAT32] = 4, [OOZE_FIELD_FLOAT64] = 8, [OOZE_FIELD_UINT8] = 1,
        [OOZE_FIELD_UINT16] = 2,  [OOZE_FIELD_UINT32] = 4,  [OOZE_FIELD_UINT64] = 8,
    };
    return (unsigned)type < OOZE_FIELD_TYPE_COUNT ? sizes[type] : 0;
}

const OozeFieldInfo ooze_common_fields[OOZE_FIELD_COMMON_COUNT] = {
    [OOZE_FIELD_POSITION] = {"position", OOZE_FIELD_FLOAT32, 3, 4, "m", 0.0, true, "of its centre"},
    [OOZE_FIELD_VELOCITY] = {"velocity", OOZE_FIELD_FLOAT32, 3, 4, "m/s", 0.0, true,
                             "of its centre"},
    [OOZE_FIELD_ID] = {"id", OOZE_FIELD_UINT64, 1, 1, "", 0.0, true,
                       "unique number of the particle, never re-used"},
    [OOZE_FIELD_MATERIAL] = {"material", OOZE_FIELD_UINT16, 1, 1, "", 0.0, true,
                             "index of its material"},
};
