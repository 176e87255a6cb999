"""Operators of the add-on. A failure is one sentence, in the panel and in the report."""
import os

import bpy
from bpy.props import StringProperty

from . import command, export_scene, jobs, run_folder, sequence


def executable(context):
    addon = context.preferences.addons.get(__package__)
    return command.find(addon.preferences.executable if addon else "")


def folder_of(context, given=""):
    path = given or context.scene.ooze.run
    if path.startswith("//") and not bpy.data.filepath:
        raise command.OozeError(f"Save the Blender file first: {path} is relative to it.")
    return os.path.abspath(bpy.path.abspath(path))


def import_steps(context, path, folder):
    """Commands that make the files of a run that are not there yet."""
    options = context.scene.ooze
    steps = []
    if options.surface or not options.points:
        steps.append(lambda: run_folder.RunFolder(path, folder).mesh_arguments())
    if options.points:
        steps.append(lambda: run_folder.RunFolder(path, folder).points_arguments())
    return steps


def finish_import(context, path, folder):
    scene = context.scene

    def finish():
        run = run_folder.RunFolder(path, folder)
        sequence.import_run(run, scene, scene.ooze)
        return f"Frames 0 to {run.last_frame()} of {run.name()}."
    return finish


class Sentence:
    """Shows a failure of `act` as one sentence."""

    def execute(self, context):
        sequence.messages.clear()
        try:
            self.act(context)
        except (command.OozeError, sequence.ply.PlyError) as error:
            jobs.report(str(error), failed=True)
        shown = jobs.state()
        if shown.failed and not shown.running:
            self.report({"ERROR"}, shown.text)
            return {"CANCELLED"}
        return {"FINISHED"}


class OOZE_OT_import_run(Sentence, bpy.types.Operator):
    """Show a run: makes the meshes that are missing, then loads that of each frame"""

    bl_idname = "ooze.import_run"
    bl_label = "Import run"
    directory: StringProperty(subtype="DIR_PATH")

    def act(self, context):
        path, folder = executable(context), folder_of(context, self.directory)
        run_folder.RunFolder(path, folder)
        jobs.start(path, import_steps(context, path, folder),
                   finish_import(context, path, folder))

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class OOZE_OT_reload(Sentence, bpy.types.Operator):
    """Make and load the frames that the runs of this scene have got since they were imported"""

    bl_idname = "ooze.reload"
    bl_label = "Reload"

    def act(self, context):
        roots = [thing for thing in context.scene.objects if thing.get("ooze_run")]
        if not roots:
            raise command.OozeError("No run is imported in this scene.")
        path, steps, ends = executable(context), [], []
        for root in roots:
            run_folder.RunFolder(path, root["ooze_run"])
            steps += import_steps(context, path, root["ooze_run"])
            ends.append(finish_import(context, path, root["ooze_run"]))
        jobs.start(path, steps, lambda: [end() for end in ends][-1])


class OOZE_OT_export_scene(Sentence, bpy.types.Operator):
    """Write the objects with a role as a scene of Ooze, and check it"""

    bl_idname = "ooze.export_scene"
    bl_label = "Export scene"

    def act(self, context):
        path = executable(context)
        scene = export_scene.export(context.scene,
                                    folder_of(context, context.scene.ooze.scene_file))
        command.run(path, "check", scene)
        jobs.report(f"{scene} is a good scene.", 100.0)


class OOZE_OT_run(Sentence, bpy.types.Operator):
    """Export the scene, simulate it and show the run; continues a run of the same scene"""

    bl_idname = "ooze.run"
    bl_label = "Run"

    def act(self, context):
        path, folder = executable(context), folder_of(context)
        scene = export_scene.export(context.scene,
                                    folder_of(context, context.scene.ooze.scene_file))
        context.scene.ooze.start = context.scene.frame_start
        steps = [["check", scene],
                 ["run", scene, "-o", folder, "--resume", "--threads", context.scene.ooze.threads]]
        jobs.start(path, steps + import_steps(context, path, folder),
                   finish_import(context, path, folder))


class OOZE_OT_cancel(bpy.types.Operator):
    """Stop the command after its current step; a run can be continued"""

    bl_idname = "ooze.cancel"
    bl_label = "Cancel"

    def execute(self, _context):
        jobs.cancel()
        return {"FINISHED"}


def draw_menu(menu, _context):
    menu.layout.operator(OOZE_OT_import_run.bl_idname, text="Ooze run (folder)")


CLASSES = (OOZE_OT_import_run, OOZE_OT_reload, OOZE_OT_export_scene, OOZE_OT_run, OOZE_OT_cancel)
