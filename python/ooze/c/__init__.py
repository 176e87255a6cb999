"""The whole C API of the library, as ctypes; `ooze` itself is easier to use.

A function raises ooze.Error where the C function returns a status, and returns what it
would write through pointers. Objects must be freed, and pointers to freed objects crash, as
in C. Written by tools/python_bindings.py.
"""
from ooze.c.status_types import (OozeError, OozeStatus)
from ooze.c.status_functions import (ooze_status_name)
from ooze.c.types_types import (OozeAxis, OozeDevice, OozeEmitterId, OozeFeature, OozeJointId,
                                OozeLogCallback, OozeLogLevel, OozeMaterialId, OozeParamInfo,
                                OozeParamKind, OozeProbeId, OozeProgressCallback, OozeQuat,
                                OozeSolidId, OozeVec3, OozeVersion)
from ooze.c.types_functions import (ooze_features, ooze_version)
from ooze.c.shape_types import (OOZE_SHAPE_PARTS_MAX, OozeHeightView, OozeInterpolation,
                                OozeKeyframe, OozeMeshView, OozeMotionDef, OozeShapeDef,
                                OozeShapeKind, OozeSolidPose)
from ooze.c.shape_functions import (ooze_motion_def_default, ooze_shape_def_default)
from ooze.c.frame_types import (OozeFieldType, OozeFieldView, OozeFrame, OozeMaterialView,
                                OozeSolidView)
from ooze.c.frame_functions import (ooze_field_column, ooze_field_type_size, ooze_field_value,
                                    ooze_frame_close, ooze_frame_field, ooze_frame_hash,
                                    ooze_frame_open, ooze_frame_state, ooze_frame_write)
from ooze.c.look_types import (OozeLookDef, OozeLookInfo, OozeLookKind, OozeTexture)
from ooze.c.look_functions import (ooze_look_def_default, ooze_looks)
from ooze.c.world_types import (OozeBodyKind, OozeChangeDef, OozeChangeTarget, OozeEmitterDef,
                                OozeFill, OozeFluidDef, OozeHeatSourceDef, OozeJointDef,
                                OozeJointKind, OozeJointParam, OozeMaterialDef, OozeMethodInfo,
                                OozeOutline, OozePresetInfo, OozePresetNumber, OozePresetOrigin,
                                OozeProbeDef, OozeProbeKind, OozeProbeReading, OozePushDef,
                                OozeSinkDef, OozeSolidDef, OozeSolidParam, OozeStagePartTime,
                                OozeStageTime, OozeTemperatureRow, OozeWorld, OozeWorldDef,
                                OozeWorldStats)
from ooze.c.world_functions import (ooze_change_def_default, ooze_emitter_def_default,
                                    ooze_fluid_def_default, ooze_heat_source_def_default,
                                    ooze_joint_def_default, ooze_joint_param_name,
                                    ooze_material_def_default, ooze_material_def_set,
                                    ooze_material_params, ooze_material_preset, ooze_method_count,
                                    ooze_method_info, ooze_preset_count, ooze_preset_info,
                                    ooze_preset_origin_name, ooze_probe_def_default,
                                    ooze_push_def_default, ooze_sink_def_default,
                                    ooze_solid_def_default, ooze_solid_param_name,
                                    ooze_temperature_row_default, ooze_world_add_change,
                                    ooze_world_add_emitter, ooze_world_add_fluid,
                                    ooze_world_add_heat_source, ooze_world_add_joint,
                                    ooze_world_add_material, ooze_world_add_particles,
                                    ooze_world_add_probe, ooze_world_add_push, ooze_world_add_sink,
                                    ooze_world_add_solid, ooze_world_add_velocities,
                                    ooze_world_advance, ooze_world_create, ooze_world_def_default,
                                    ooze_world_destroy, ooze_world_find_emitter,
                                    ooze_world_find_material, ooze_world_find_probe,
                                    ooze_world_find_solid, ooze_world_frame,
                                    ooze_world_get_material, ooze_world_get_param,
                                    ooze_world_get_solid, ooze_world_keep_arrays,
                                    ooze_world_measure, ooze_world_probe, ooze_world_probe_count,
                                    ooze_world_restore, ooze_world_set_emitter_speed,
                                    ooze_world_set_joint, ooze_world_set_material,
                                    ooze_world_set_param, ooze_world_set_solid,
                                    ooze_world_set_solid_pose, ooze_world_stats, ooze_world_step)
from ooze.c.surface_types import (OozeSurface, OozeSurfaceField, OozeSurfaceMethod,
                                  OozeSurfaceSettings)
from ooze.c.surface_functions import (ooze_surface_build, ooze_surface_default, ooze_surface_free,
                                      ooze_surface_method_name)
from ooze.c.scene_types import (OozeBuildOptions, OozeDiagnostic, OozeScene, OozeSceneChangeText,
                                OozeSceneInfo, OozeSeverity)
from ooze.c.scene_functions import (ooze_scene_build, ooze_scene_canonical, ooze_scene_change_world,
                                    ooze_scene_check_physics, ooze_scene_diagnostic,
                                    ooze_scene_diagnostic_count, ooze_scene_free, ooze_scene_info,
                                    ooze_scene_load, ooze_scene_load_run, ooze_scene_load_text,
                                    ooze_scene_reference, ooze_scene_schema, ooze_scene_surface,
                                    ooze_text_free)
from ooze.c.render_types import (OozeBackdrop, OozeEnvironmentType, OozeLightDef, OozeRenderDef,
                                 OozeRenderProgress, OozeRenderer)
from ooze.c.render_functions import (ooze_light_def_default, ooze_render_def_default,
                                     ooze_render_frame, ooze_renderer_create, ooze_renderer_free,
                                     ooze_renderer_hash, ooze_renderer_mean_samples,
                                     ooze_renderer_survey, ooze_scene_render)

# Of the headers: a library of another version may lay structures out differently.
VERSION = "0.1.0"

__all__ = ["OozeStatus", "OozeError", "ooze_status_name", "OozeVec3", "OozeQuat", "OozeAxis",
           "OozeMaterialId", "OozeSolidId", "OozeJointId", "OozeEmitterId", "OozeProbeId",
           "OozeParamKind", "OozeParamInfo", "OozeLogLevel", "OozeLogCallback",
           "OozeProgressCallback", "OozeVersion", "OozeFeature", "OozeDevice", "ooze_version",
           "ooze_features", "OozeShapeKind", "OozeMeshView", "OozeHeightView",
           "OOZE_SHAPE_PARTS_MAX", "OozeShapeDef", "OozeInterpolation", "OozeKeyframe",
           "OozeMotionDef", "OozeSolidPose", "ooze_shape_def_default", "ooze_motion_def_default",
           "OozeFieldType", "OozeFieldView", "OozeSolidView", "OozeMaterialView", "OozeFrame",
           "ooze_field_type_size", "ooze_frame_field", "ooze_frame_state", "ooze_field_column",
           "ooze_field_value", "ooze_frame_hash", "ooze_frame_write", "ooze_frame_open",
           "ooze_frame_close", "OozeLookKind", "OozeTexture", "OozeLookInfo", "OozeLookDef",
           "ooze_looks", "ooze_look_def_default", "OozeWorld", "OozeWorldDef", "OozeMethodInfo",
           "OozeTemperatureRow", "OozeMaterialDef", "OozePresetOrigin", "OozePresetNumber",
           "OozePresetInfo", "OozeSolidDef", "OozeSolidParam", "OozeJointKind", "OozeJointDef",
           "OozeJointParam", "OozeFill", "OozeBodyKind", "OozeFluidDef", "OozeOutline",
           "OozeEmitterDef", "OozeSinkDef", "OozeHeatSourceDef", "OozeChangeTarget",
           "OozeChangeDef", "OozePushDef", "OozeProbeKind", "OozeProbeDef", "OozeProbeReading",
           "OozeStageTime", "OozeStagePartTime", "OozeWorldStats", "ooze_world_def_default",
           "ooze_world_create", "ooze_world_destroy", "ooze_method_count", "ooze_method_info",
           "ooze_world_set_param", "ooze_world_get_param", "ooze_material_params",
           "ooze_temperature_row_default", "ooze_material_def_default", "ooze_material_def_set",
           "ooze_world_add_material", "ooze_world_set_material", "ooze_world_get_material",
           "ooze_preset_count", "ooze_preset_info", "ooze_preset_origin_name",
           "ooze_material_preset", "ooze_solid_param_name", "ooze_solid_def_default",
           "ooze_world_add_solid", "ooze_world_set_solid", "ooze_world_get_solid",
           "ooze_world_set_solid_pose", "ooze_joint_param_name", "ooze_joint_def_default",
           "ooze_world_add_joint", "ooze_world_set_joint", "ooze_fluid_def_default",
           "ooze_world_add_fluid", "ooze_world_add_particles", "ooze_emitter_def_default",
           "ooze_world_add_emitter", "ooze_world_set_emitter_speed", "ooze_sink_def_default",
           "ooze_world_add_sink", "ooze_heat_source_def_default", "ooze_world_add_heat_source",
           "ooze_change_def_default", "ooze_world_add_change", "ooze_push_def_default",
           "ooze_world_add_push", "ooze_world_add_velocities", "ooze_probe_def_default",
           "ooze_world_add_probe", "ooze_world_probe_count", "ooze_world_measure",
           "ooze_world_probe", "ooze_world_find_material", "ooze_world_find_solid",
           "ooze_world_find_emitter", "ooze_world_find_probe", "ooze_world_step",
           "ooze_world_advance", "ooze_world_stats", "ooze_world_frame", "ooze_world_keep_arrays",
           "ooze_world_restore", "OozeSurfaceMethod", "OozeSurfaceSettings", "OozeSurfaceField",
           "OozeSurface", "ooze_surface_method_name", "ooze_surface_default", "ooze_surface_build",
           "ooze_surface_free", "OozeScene", "OozeSeverity", "OozeDiagnostic", "OozeSceneInfo",
           "OozeBuildOptions", "OozeSceneChangeText", "ooze_scene_load", "ooze_scene_load_run",
           "ooze_scene_load_text", "ooze_scene_free", "ooze_scene_diagnostic_count",
           "ooze_scene_diagnostic", "ooze_scene_info", "ooze_scene_surface", "ooze_scene_canonical",
           "ooze_scene_build", "ooze_scene_change_world", "ooze_scene_check_physics",
           "ooze_scene_schema", "ooze_scene_reference", "ooze_text_free", "OozeBackdrop",
           "OozeEnvironmentType", "OozeLightDef", "OozeRenderDef", "OozeRenderer",
           "OozeRenderProgress", "ooze_light_def_default", "ooze_render_def_default",
           "ooze_scene_render", "ooze_renderer_create", "ooze_renderer_free",
           "ooze_renderer_survey", "ooze_render_frame", "ooze_renderer_mean_samples",
           "ooze_renderer_hash"]
