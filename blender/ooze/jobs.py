"""One chain of commands at a time: each is a process, a timer of Blender follows it."""
import time

import bpy

from . import command

INTERVAL = 0.25  # seconds between looks at the process


class Job:
    """Commands one after the other, then a function. A command that fails ends the chain, except
    for `mesh` and `export`: these leave damaged frames out and make the others."""

    def __init__(self, executable, steps, finish):
        self.executable, self.steps, self.finish = executable, list(steps), finish
        self.process, self.cancelled, self.warning = None, False, ""

    def advance(self):
        """Looks at the process and starts the next one; False at the end."""
        if self.process:
            code = self.process.poll()
            if code is None:
                report(self.process.progress(), 100.0 * self.process.fraction())
                return True
            if code != 0:
                text = self.process.sentence(code)
                lenient = self.process.lenient and code == 1 and not self.cancelled
                if not lenient:
                    raise command.OozeError(text)
                self.warning = text
        if self.cancelled:
            raise command.OozeError("The run was cancelled; it can be continued.")
        if self.steps:
            arguments = self.steps.pop(0)
            arguments = arguments() if callable(arguments) else arguments
            self.process = command.Process(self.executable, arguments)
            self.process.lenient = arguments[0] in ("mesh", "export")
            report(self.process.progress(), 0.0)
            return True
        report(self.finish() or "Done.", 100.0)
        if self.warning:
            raise command.OozeError(self.warning)
        return False

    def cancel(self):
        self.cancelled = True
        if self.process:
            self.process.cancel()


class Current:
    job = None


def state():
    return bpy.context.window_manager.ooze_state


def report(text, fraction=0.0, failed=False):
    shown = state()
    shown.text, shown.fraction, shown.failed = text, fraction, failed
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def end():
    Current.job = None
    state().running = False


def tick():
    """Called by the timer: the seconds until the next call, or None at the end."""
    if not Current.job:
        return None
    try:
        if Current.job.advance():
            return INTERVAL
    except command.OozeError as error:
        report(str(error), state().fraction, failed=True)
    except Exception as error:  # an error of the add-on must end the job, too
        report(f"The add-on failed: {error}", failed=True)
        end()
        raise
    end()
    return None


def start(executable, steps, finish):
    """Starts a chain; in Blender without windows, where timers do not run, waits for its end."""
    if Current.job:
        raise command.OozeError("A command is running already.")
    Current.job = Job(executable, steps, finish)
    state().running = True
    if bpy.app.background:
        wait()
    else:
        bpy.app.timers.register(tick, first_interval=0.0)


def wait():
    while tick() is not None:
        time.sleep(0.02)


def cancel():
    if Current.job:
        Current.job.cancel()


def unregister():
    cancel()
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)
