"""Runs shown in Blender: vertices, attributes, frames, axes, solids and materials."""
import json
import math
import re
import shutil
import subprocess

import bpy
import numpy
from mathutils import Vector

import ooze
from case import FOLDER, OOZE, RUN, BlenderCase, expected, info, ooze as command, positions, values


class ImportCase(BlenderCase):
    def import_run(self, run=RUN, **options):
        for name, value in options.items():
            setattr(self.settings, name, value)
        self.good(bpy.ops.ooze.import_run, directory=str(run))

    def surface(self, name="run"):
        return bpy.data.objects[f"{name} surface"]

    def world(self, thing):
        """Vertices in the world."""
        bpy.context.view_layer.update()
        matrix = numpy.array(thing.matrix_world)
        return positions(thing.data) @ matrix[:3, :3].T + matrix[:3, 3]


class Surface(ImportCase):
    def test_vertices_are_those_of_ooze_mesh(self):
        self.import_run()
        counts = []
        for frame in range(5):
            self.scene.frame_set(1 + frame)
            facts = info(RUN / f"surface/frame_{frame:06d}.ply")
            mesh = self.surface().data
            self.assertEqual(len(mesh.vertices), facts["vertices"])
            self.assertEqual(len(mesh.polygons), facts["triangles"])
            low, high = positions(mesh).min(0), positions(mesh).max(0)
            self.assertTrue(numpy.allclose(low, facts["min"], atol=1e-6), (low, facts["min"]))
            self.assertTrue(numpy.allclose(high, facts["max"], atol=1e-6))
            self.assertFalse(mesh.validate(verbose=True), "the mesh needed repair")
            counts.append(len(mesh.vertices))
        self.assertGreater(len(set(counts)), 1, "a change of frame changes the mesh")

    def test_rate_and_range_are_those_of_the_run(self):
        self.scene.render.fps = 60
        self.import_run(start=11)
        self.assertEqual((self.scene.render.fps, self.scene.render.fps_base), (24, 1))
        self.assertEqual((self.scene.frame_start, self.scene.frame_end), (11, 15))

    def test_frames_outside_the_run_show_its_ends(self):
        self.import_run()
        for frame, shown in ((-5, 0), (1, 0), (5, 4), (99, 4)):
            self.scene.frame_set(frame)
            self.assertTrue(self.surface().ooze_cache.shown.endswith(f"frame_{shown:06d}.ply"))

    def test_time_between_frames_keeps_the_mesh(self):
        """Motion blur samples such times while the mesh of its frame is rendered."""
        self.import_run()
        self.scene.frame_set(3)
        kept = self.surface().ooze_cache.shown
        self.scene.frame_set(2, subframe=0.75)
        self.assertEqual(self.surface().ooze_cache.shown, kept)

    def test_attributes_have_the_values_of_the_particles(self):
        """The honey of the box flies with one velocity and has one temperature."""
        self.import_run()
        self.scene.frame_set(3)
        mesh, data = self.surface().data, expected(2)
        material, velocity = values(mesh, "material"), values(mesh, "velocity", 3)
        temperature, color = values(mesh, "temperature"), values(mesh, "color", 4)
        self.assertEqual(set(material), {0, 1})
        red = material == 1
        of_red = data["velocity"][data["material"] == 1]
        self.assertTrue(numpy.allclose(velocity[red], of_red[0], atol=1e-4))
        self.assertTrue(numpy.allclose(temperature[red], 20, atol=1e-3))
        self.assertTrue(numpy.allclose(color[red], (0.8, 0.05, 0.04, 1), atol=0.01))
        box = (material == 0) & (positions(mesh)[:, 0] > -0.1)
        self.assertTrue(numpy.allclose(velocity[box][:, (0, 2)], (0.5, 0.25), atol=1e-4))
        self.assertTrue(numpy.allclose(temperature[box], 60, atol=1e-3))
        jet = (material == 0) & ~box
        self.assertTrue(numpy.allclose(temperature[jet], 40, atol=1e-3) and jet.any())

    def test_velocity_follows_the_playing_speed(self):
        """At twice the frame rate a frame of the run takes half the time."""
        self.import_run()
        self.scene.frame_set(4)
        normal = values(self.surface().data, "velocity", 3)
        self.scene.render.fps = 48
        self.surface().ooze_cache.shown = ""
        self.scene.frame_set(4)
        fast = values(self.surface().data, "velocity", 3)
        self.assertGreater(abs(normal).max(), 0.5)
        self.assertTrue(numpy.allclose(fast, 2 * normal))

    def test_height_is_along_z(self):
        self.import_run()
        heights = self.world(self.surface())[:, 2]
        y = expected(0)["position"][:, 1]
        self.assertLess(abs(heights.max() - y.max()), 0.02)
        self.assertLess(abs(heights.min() - y.min()), 0.02)

    def test_metres_become_units_of_the_scene(self):
        self.scene.unit_settings.scale_length = 0.01
        self.import_run()
        self.assertGreater(self.world(self.surface())[:, 2].max(), 50)

    def test_damaged_frame_is_named_and_others_are_shown(self):
        run = FOLDER / "damaged"
        shutil.copytree(RUN, run)
        self.import_run(run)
        path = run / "surface/frame_000002.ply"
        path.write_bytes(path.read_bytes()[:-7])
        self.scene.frame_set(3)
        self.assertIn("frame_000002.ply ends too early.", ooze.sequence.messages[-1])
        self.scene.frame_set(4)
        self.assertEqual(len(self.surface("damaged").data.vertices),
                         info(run / "surface/frame_000003.ply")["vertices"])

    def test_further_frames_come_with_a_reload(self):
        run = FOLDER / "growing"
        shutil.copytree(RUN, run)
        self.import_run(run)
        material = self.surface("growing").data.materials[0]
        material.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.42
        objects = len(bpy.data.objects)
        command("run", "--resume", run, "--threads", 1)
        self.good(bpy.ops.ooze.reload)
        self.assertEqual(self.scene.frame_end, 7)
        self.scene.frame_set(7)
        facts = info(run / "surface/frame_000006.ply")
        self.assertEqual(len(self.surface("growing").data.vertices), facts["vertices"])
        self.assertEqual(len(bpy.data.objects), objects, "a reload adds no objects")
        roughness = material.node_tree.nodes["Principled BSDF"].inputs["Roughness"]
        self.assertAlmostEqual(roughness.default_value, 0.42, places=5)

    def test_saved_file_follows_the_frames(self):
        self.import_run()
        path = str(FOLDER / "saved.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
        bpy.context.scene.frame_set(5)
        self.assertEqual(len(self.surface().data.vertices),
                         info(RUN / "surface/frame_000004.ply")["vertices"])


class Points(ImportCase):
    def points(self):
        return bpy.data.objects["run particles"]

    def test_every_particle_is_there_with_its_values(self):
        self.import_run(points=True, surface=False, solids=False)
        for frame in (0, 3):
            self.scene.frame_set(1 + frame)
            mesh, data = self.points().data, expected(frame)
            self.assertTrue(numpy.array_equal(positions(mesh), data["position"]))
            self.assertTrue(numpy.array_equal(values(mesh, "velocity", 3), data["velocity"]))
            self.assertTrue(numpy.array_equal(values(mesh, "id"), data["id"]))
            self.assertTrue(numpy.array_equal(values(mesh, "material"), data["material"]))
            self.assertTrue(numpy.allclose(values(mesh, "temperature"), data["temperature"]))
            colors = values(mesh, "color", 4)[data["material"] == 1]
            self.assertTrue(numpy.allclose(colors, (0.8, 0.05, 0.04, 1)))

    def test_particles_are_a_point_cloud_of_their_size(self):
        self.import_run(points=True, surface=False)
        graph = bpy.context.evaluated_depsgraph_get()
        clouds = [item.object.data for item in graph.object_instances
                  if item.object.type == "POINTCLOUD"]
        self.assertEqual(len(clouds), 1)
        self.assertEqual(len(clouds[0].points), len(expected(0)["id"]))
        self.assertTrue(all(abs(point.radius - 0.01) < 1e-6 for point in clouds[0].points))
        self.assertEqual(clouds[0].materials[0].name, "run particles")

    def test_instances_are_as_many_as_particles(self):
        self.import_run(points=True, instances=True, surface=False)
        graph = bpy.context.evaluated_depsgraph_get()
        count = sum(item.is_instance for item in graph.object_instances)
        self.assertEqual(count, len(expected(0)["id"]))


class Solids(ImportCase):
    def test_solids_stand_where_the_run_has_them(self):
        self.import_run()
        paddle = bpy.data.objects["run bewegter Löffel"]
        turned = []
        for frame in (0, 4):
            self.scene.frame_set(1 + frame)
            pose = expected(frame)["pose"][1]
            self.assertTrue(numpy.allclose(paddle.location, pose[:3], atol=1e-6))
            turn = numpy.array(paddle.rotation_quaternion)
            self.assertTrue(numpy.allclose(turn, pose[[6, 3, 4, 5]], atol=1e-6))
            turned.append(turn)
        self.assertGreater(abs(turned[0] - turned[1]).max(), 0.1)

    def test_shape_is_that_of_the_scene(self):
        self.import_run()
        size = numpy.ptp(positions(bpy.data.objects["run bewegter Löffel"].data), axis=0)
        self.assertTrue(numpy.allclose(size, (0.3, 0.02, 0.02), atol=1e-6), size)
        floor = self.world(bpy.data.objects["run floor"])
        self.assertTrue(numpy.allclose(floor[:, 2], 0, atol=1e-6), "a plane is level")
        self.assertGreater(numpy.ptp(floor[:, 0]), 1)


class Looks(ImportCase):
    def test_table_is_that_of_the_renderer(self):
        source = json.loads((FOLDER / "looks.json").read_text())
        own = {name: [row[0], list(row[1]) if row[1] else None, *row[2:]]
               for name, row in ooze.looks.TABLE.items()}
        self.assertGreater(len(source), 15)
        self.assertEqual(own, source)

    def test_jelly_absorbs_by_its_depth(self):
        """White light has the colour of the material after the 5 cm of `look: {depth: 0.05}`."""
        self.import_run()
        nodes = self.surface().data.materials[1].node_tree.nodes
        absorb = nodes["Volume Absorption"].inputs
        left = [math.exp(-absorb["Density"].default_value * 0.05 * (1 - c))
                for c in absorb["Color"].default_value[:3]]
        self.assertTrue(numpy.allclose(left, (0.8, 0.05, 0.04), atol=1e-4), left)
        self.assertAlmostEqual(nodes["Volume Scatter"].inputs["Density"].default_value,
                               0.15 / 0.05, places=4)

    def test_every_look_makes_a_material(self):
        for name in ooze.looks.TABLE:
            look = ooze.looks.choose(name, {}, "matte", 0.1)
            material = ooze.materials.of_look(f"test {name}", look)
            shader = material.node_tree.nodes["Principled BSDF"]
            given = shader.inputs["Base Color"].default_value[:3]
            clear = look.kind == ooze.looks.CLEAR
            self.assertTrue(numpy.allclose(given, (1, 1, 1) if clear else look.color), name)
            output = material.node_tree.nodes["Material Output"]
            self.assertEqual(output.inputs["Volume"].is_linked, clear, name)

    def test_faces_have_the_material_of_their_corners(self):
        self.import_run()
        mesh = self.surface().data
        index = numpy.empty(len(mesh.polygons), numpy.int32)
        mesh.polygons.foreach_get("material_index", index)
        corners = numpy.empty(3 * len(mesh.polygons), numpy.int32)
        mesh.loops.foreach_get("vertex_index", corners)
        of_corners = values(mesh, "material")[corners].reshape(-1, 3)
        self.assertEqual(set(index), {0, 1})
        self.assertTrue((of_corners == index[:, None]).all(), "the two bodies do not touch")


class Cycles(ImportCase):
    def render(self, width, height, samples, animation=False):
        """Rows of linear colours, from below; none of an animation."""
        render = self.scene.render
        path = str(FOLDER / ("picture" if animation else "picture.exr"))
        render.engine, render.resolution_percentage = "CYCLES", 100
        render.resolution_x, render.resolution_y = width, height
        self.scene.cycles.samples, self.scene.cycles.use_denoising = samples, False
        self.scene.cycles.pixel_filter_type = "BOX"
        self.scene.cycles.filter_width = 1.0
        render.image_settings.file_format = "OPEN_EXR"
        render.filepath = path
        if animation:
            bpy.ops.render.render(animation=True)
            return None
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(path)
        pixels = numpy.array(image.pixels[:]).reshape(height, width, -1)[:, :, :3]
        bpy.data.images.remove(image)
        return pixels

    def add_camera(self, place, target, scale=None):
        camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        self.scene.collection.objects.link(camera)
        camera.location = place
        direction = Vector(target) - Vector(place)
        camera.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler()
        if scale:
            camera.data.type, camera.data.ortho_scale = "ORTHO", scale
        self.scene.camera = camera

    def light_world(self, strength):
        self.scene.world = bpy.data.worlds.new("world")
        self.scene.world.use_nodes = True
        light = self.scene.world.node_tree.nodes["Background"].inputs
        light[0].default_value, light[1].default_value = (1, 1, 1, 1), strength

    def test_velocity_attribute_blurs_by_seconds(self):
        """A square that moves with 1 m/s is blurred over the half frame that the shutter is open:
        1/48 m, 8.3 of the picture's pixels. Sums along a row of what is blurred tell the width."""
        row = [(name, "<f4") for name in ("x", "y", "z", "vx", "vy", "vz")]
        row += [(name, "u1") for name in ("red", "green", "blue")] + [("material", "<u4")]
        corners = numpy.zeros(4, row)
        corners["x"], corners["y"] = (-0.05, 0.05, 0.05, -0.05), (-0.05, -0.05, 0.05, 0.05)
        corners["vx"] = 1
        square = ooze.ply.Ply([], corners, numpy.array([[0, 1, 2], [0, 2, 3]], numpy.int32))
        mesh = bpy.data.meshes.new("square")
        ooze.geometry.fill(mesh, square, 1.0)
        self.scene.collection.objects.link(bpy.data.objects.new("square", mesh))
        material = bpy.data.materials.new("light")
        material.use_nodes = True
        tree = material.node_tree
        glow = tree.nodes.new("ShaderNodeEmission")
        output = [node for node in tree.nodes if node.type == "OUTPUT_MATERIAL"][0]
        tree.links.new(glow.outputs[0], output.inputs["Surface"])
        mesh.materials.append(material)
        self.add_camera((0, 0, 1), (0, 0, 0), 0.5)
        self.light_world(0)
        self.scene.render.fps, self.scene.render.use_motion_blur = 24, True
        self.scene.render.motion_blur_shutter = 0.5
        line = self.render(200, 4, 128)[2, :, 0]
        # the mean of 4 v (1 - v) over a linear ramp is 2/3
        width = 1.5 * (4 * line * (1 - line)).sum() / 2
        self.assertLess(abs(width - 200 * (1 / 48) / 0.5), 0.7, width)

    def test_animation_shows_the_mesh_of_each_frame(self):
        """The ball on the right falls for 1/6 s, 0.136 m: 8.2 pixels."""
        self.import_run(solids=False)
        self.add_camera((0.1, -1, 0.45), (0.1, 0, 0.45), 0.8)
        self.light_world(1.0)
        self.scene.render.film_transparent = True
        self.scene.frame_step = 4
        self.render(48, 32, 4, animation=True)
        middles = []
        for frame in (1, 5):
            image = bpy.data.images.load(str(FOLDER / f"picture{frame:04d}.exr"))
            ball = numpy.array(image.pixels[:]).reshape(32, 48, -1)[:, 31:, 3]
            self.assertGreater(ball.sum(), 10)
            middles.append((ball.sum(1) * numpy.arange(32)).sum() / ball.sum())
        self.assertLess(abs(middles[0] - middles[1] - 8.2), 0.7, middles)

    def test_honey_is_amber(self):
        self.import_run()
        self.scene.frame_set(3)
        self.add_camera((0.05, -1, 0.45), (0.05, 0, 0.45))
        self.light_world(1.0)
        pixels = self.render(96, 54, 32)
        middle = pixels[20:34, 40:50].reshape(-1, 3).mean(0)
        self.assertTrue(pixels[-1].mean() > 0.9, "the world is white")
        self.assertGreater(middle[0], 1.15 * middle[1])
        self.assertGreater(middle[1], 1.5 * middle[2])


class Refusals(ImportCase):
    def test_folder_that_is_no_run(self):
        (FOLDER / "empty").mkdir(exist_ok=True)
        self.bad("is not a run folder", bpy.ops.ooze.import_run, directory=str(FOLDER / "empty"))

    def test_run_without_frames(self):
        run = FOLDER / "no_frames"
        shutil.copytree(RUN, run, ignore=shutil.ignore_patterns("*.h5"))
        self.bad("no frames", bpy.ops.ooze.import_run, directory=str(run))

    def test_command_that_is_not_there(self):
        preferences = bpy.context.preferences.addons["ooze"].preferences
        preferences.executable = "/nowhere/ooze"
        self.addCleanup(setattr, preferences, "executable", "")
        self.bad("The command ooze is not at /nowhere/ooze", bpy.ops.ooze.import_run,
                 directory=str(RUN))

    def test_frame_missing_in_the_middle_is_reported_and_others_are_shown(self):
        run = FOLDER / "gap"
        shutil.copytree(RUN, run, ignore=shutil.ignore_patterns("surface", "export"))
        (run / "frames/frame_000002.h5").unlink()
        self.bad("frame", bpy.ops.ooze.import_run, directory=str(run))
        self.scene.frame_set(4)
        self.assertEqual(len(self.surface("gap").data.vertices),
                         info(run / "surface/frame_000003.ply")["vertices"])

    def test_reload_without_a_run(self):
        self.bad("No run is imported", bpy.ops.ooze.reload)

    def test_own_yaml_reader_agrees_with_a_library(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("this Blender has no PyYAML")
        text = (RUN / "scene.yaml").read_text()
        library = yaml.safe_load(re.sub(r"\binf\b", ".inf", text))
        self.assertEqual(ooze.scene_text.read(text), library)
        self.assertEqual(subprocess.run([OOZE, "check", RUN / "scene.yaml"],
                                        capture_output=True).returncode, 0)
