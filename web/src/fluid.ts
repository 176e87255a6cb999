// Draws the particles: as spheres, or as a surface in screen space.
import * as THREE from "three";
import { distinct, mapTexture, type Theme } from "./colours";
import type { Frame, Look } from "./messages";
import * as glsl from "./shaders";

const kinds = ["opaque", "metal", "clear", "translucent"];

export type Uniforms = Record<string, THREE.IUniform>;

export function material(vertexShader: string, fragmentShader: string, uniforms: Uniforms, more: object = {}) {
  return new THREE.ShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader, fragmentShader, uniforms, ...more });
}

export class Fluid {
  readonly canDrawSurface: boolean;
  surface = true;
  private geometry = new THREE.BufferGeometry();
  private points: THREE.Points;
  private alone = new THREE.Scene(); // the particles without the rest
  private quad: THREE.Mesh;
  private screen = new THREE.Scene();
  private flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private targets: Record<"scene" | "depth" | "thick" | "a" | "b", THREE.WebGLRenderTarget>;
  private capacity = 0;
  private count = 0;
  private extent = 1;
  private looks: Look[] = [];
  private uniforms: Uniforms;
  private materials;

  constructor(private renderer: THREE.WebGLRenderer) {
    const gl = renderer.getContext();
    this.canDrawSurface = gl.getExtension("EXT_color_buffer_float") !== null;
    const map = new THREE.DataTexture(mapTexture(), 256, 1);
    map.needsUpdate = true;
    map.magFilter = map.minFilter = THREE.LinearFilter;
    this.uniforms = {
      radius: { value: 0.01 }, pixels: { value: 1 }, size: { value: new THREE.Vector2() },
      projection: { value: new THREE.Matrix4() }, inverseProjection: { value: new THREE.Matrix4() },
      toWorld: { value: new THREE.Matrix3() }, looks: { value: null }, colourMap: { value: map },
      colouring: { value: 0 }, backdropLow: { value: new THREE.Color() },
      backdropHigh: { value: new THREE.Color() }, lamps: { value: 1 }, sceneColor: { value: null },
      sceneDepth: { value: null }, fluid: { value: null }, thickness: { value: null },
      hasFluid: { value: false }, source: { value: null }, reachFactor: { value: 3 }, direction: { value: new THREE.Vector2() },
    };
    const u = this.uniforms;
    const screen = { depthTest: false, depthWrite: false };
    this.materials = {
      spheres: material(glsl.pointVertex, glsl.spheresFragment, u),
      depth: material(glsl.pointVertex, glsl.depthFragment, u),
      thick: material(glsl.pointVertex, glsl.thicknessFragment, u, {
        depthTest: false, depthWrite: false, transparent: true, blending: THREE.CustomBlending,
        blendSrc: THREE.OneFactor, blendDst: THREE.OneFactor,
      }),
      smooth: material(glsl.screenVertex, glsl.smoothFragment, u, screen),
      compose: material(glsl.screenVertex, glsl.composeFragment, u, screen),
      backdrop: material(glsl.backdropVertex, glsl.backdropFragment, u, { side: THREE.BackSide, depthWrite: false }),
      shadow: material(glsl.shadowVertex, glsl.shadowFragment, { radius: u.radius, pixels: { value: 1 } }),
    };
    this.points = new THREE.Points(this.geometry, this.materials.spheres);
    this.points.frustumCulled = false;
    this.points.layers.enableAll();
    this.alone.add(this.points);
    this.quad = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.materials.compose);
    this.quad.frustumCulled = false;
    this.screen.add(this.quad);
    const target = (type: THREE.TextureDataType, depth: boolean) => new THREE.WebGLRenderTarget(1, 1, {
      type, depthBuffer: depth, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
    const float = this.canDrawSurface ? THREE.FloatType : THREE.HalfFloatType;
    this.targets = {
      scene: target(THREE.HalfFloatType, true), depth: target(float, true),
      thick: target(THREE.HalfFloatType, false), a: target(float, false), b: target(float, false),
    };
    this.targets.scene.depthTexture = new THREE.DepthTexture(1, 1, THREE.UnsignedIntType);
    this.targets.scene.texture.minFilter = this.targets.scene.texture.magFilter = THREE.LinearFilter;
    this.targets.thick.texture.minFilter = this.targets.thick.texture.magFilter = THREE.LinearFilter;
    this.surface = this.canDrawSurface;
  }

  get backdrop() { return this.materials.backdrop; }

  setTheme(theme: Theme) {
    this.uniforms.backdropLow.value.setRGB(...theme.low);
    this.uniforms.backdropHigh.value.setRGB(...theme.high);
    this.uniforms.lamps.value = theme.dark ? 0.75 : 1;
  }

  setScene(looks: Look[], spacing: number, root: THREE.Object3D) {
    this.looks = looks;
    this.uniforms.radius.value = spacing;
    this.points.matrixAutoUpdate = false;
    this.points.matrix.copy(root.matrixWorld);
    this.writeLooks();
  }

  // 0: the look of the materials, 1: by material, 2: by a field.
  set colouring(mode: number) { this.uniforms.colouring.value = mode; }

  private writeLooks() {
    const width = Math.max(this.looks.length, 1), data = new Float32Array(width * 4 * 4);
    this.looks.forEach((look, i) => {
      const depth = look.depth ?? Math.max(look.depth_share, 0.05) * this.extent;
      data.set([...look.color, kinds.indexOf(look.look)], 4 * i);
      data.set([look.roughness, look.coat, depth, look.cloudiness], 4 * (width + i));
      data.set([look.refraction, 0, 0, 0], 4 * (2 * width + i));
      data.set([...distinct[i % distinct.length], 0], 4 * (3 * width + i));
    });
    this.uniforms.looks.value?.dispose();
    const texture = new THREE.DataTexture(data, width, 4, THREE.RGBAFormat, THREE.FloatType);
    texture.needsUpdate = true;
    this.uniforms.looks.value = texture;
  }

  setFrame(frame: Frame) {
    if (frame.count > this.capacity) {
      this.capacity = Math.ceil(1.25 * frame.count) + 1024;
      this.geometry.dispose();
      const attribute = (array: Float32Array | Uint8Array, size: number) =>
        new THREE.BufferAttribute(array, size).setUsage(THREE.DynamicDrawUsage);
      this.geometry.setAttribute("position", attribute(new Float32Array(3 * this.capacity), 3));
      this.geometry.setAttribute("value", attribute(new Float32Array(this.capacity), 1));
      this.geometry.setAttribute("material", attribute(new Uint8Array(this.capacity), 1));
    }
    this.count = frame.count;
    const put = (name: string, array: ArrayLike<number>) => {
      const attribute = this.geometry.getAttribute(name) as THREE.BufferAttribute | undefined;
      if (!attribute) return;
      (attribute.array as Float32Array).set(array);
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, array.length);
      attribute.needsUpdate = true;
    };
    put("position", frame.positions);
    put("value", frame.values);
    put("material", frame.materials);
    this.geometry.setDrawRange(0, frame.count);
    const extent = Math.hypot(...frame.low.map((low, k) => frame.high[k] - low)) || 1;
    if (Math.abs(extent / this.extent - 1) > 0.2) {
      this.extent = extent;
      this.writeLooks();
    }
  }

  // The particles into a map of shadows; `pixels`: of a metre there.
  drawShadows(light: THREE.Camera, pixels: number) {
    if (this.count === 0) return;
    this.materials.shadow.uniforms.pixels.value = pixels;
    this.points.material = this.materials.shadow;
    this.renderer.render(this.alone, light);
  }

  // Uniforms of the studio, which solids share.
  get studio(): Uniforms {
    const { backdropLow, backdropHigh, lamps } = this.uniforms;
    return { backdropLow, backdropHigh, lamps };
  }

  private pass(target: THREE.WebGLRenderTarget | null, pass: THREE.Material) {
    this.quad.material = pass;
    this.renderer.setRenderTarget(target);
    this.renderer.render(this.screen, this.flat);
  }

  private drawParticles(target: THREE.WebGLRenderTarget, pass: THREE.Material, camera: THREE.Camera) {
    this.points.material = pass;
    this.renderer.setRenderTarget(target);
    this.renderer.setClearColor(0x000000, 0);
    this.renderer.clear();
    this.renderer.render(this.alone, camera);
  }

  private drawSurface(camera: THREE.Camera) {
    const { depth, thick, a, b } = this.targets, u = this.uniforms;
    u.radius.value *= 0.8; // smaller spheres have finer edges, and are smoothed over a wider range
    this.drawParticles(depth, this.materials.depth, camera);
    u.size.value.set(thick.width, thick.height);
    this.drawParticles(thick, this.materials.thick, camera);
    u.size.value.set(depth.width, depth.height);
    const smooth = (from: THREE.WebGLRenderTarget, to: THREE.WebGLRenderTarget, x: number, y: number) => {
      u.source.value = from.texture;
      u.direction.value.set(x / depth.width, y / depth.height);
      this.pass(to, this.materials.smooth);
    };
    u.reachFactor.value = 3.5;
    smooth(depth, a, 1, 0);
    smooth(a, b, 0, 1);
    smooth(b, a, 1, 0);
    smooth(a, b, 0, 1);
    u.reachFactor.value = 0.8; // removes the traces of the strides
    smooth(b, a, 1, 0);
    smooth(a, b, 0, 1);
    u.radius.value /= 0.8;
    u.fluid.value = b.texture;
    u.thickness.value = thick.texture;
  }

  // Draws the rest of the scene, then the particles into it, then both to the screen.
  render(scene: THREE.Scene, camera: THREE.PerspectiveCamera) {
    const u = this.uniforms, size = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    for (const [name, target] of Object.entries(this.targets)) {
      const share = name === "thick" ? 0.5 : 1;
      target.setSize(Math.max(1, Math.round(size.x * share)), Math.max(1, Math.round(size.y * share)));
    }
    const { scene: whole } = this.targets;
    u.pixels.value = 0.5 * size.y * camera.projectionMatrix.elements[5];
    u.projection.value.copy(camera.projectionMatrix);
    u.inverseProjection.value.copy(camera.projectionMatrixInverse);
    u.toWorld.value.setFromMatrix4(camera.matrixWorld);
    u.size.value.copy(size);
    this.renderer.setRenderTarget(whole);
    this.renderer.setClearColor(0x000000, 1);
    this.renderer.clear();
    this.renderer.render(scene, camera);
    const asSurface = this.surface && this.count > 0, spacing = u.radius.value;
    if (this.count > 0 && !asSurface) {
      this.points.material = this.materials.spheres;
      u.radius.value = 0.62 * spacing; // a sphere with the volume of a particle
      this.renderer.render(this.alone, camera);
      u.radius.value = spacing;
    }
    u.sceneColor.value = whole.texture;
    u.sceneDepth.value = whole.depthTexture;
    if (asSurface) this.drawSurface(camera);
    u.hasFluid.value = asSurface;
    this.pass(null, this.materials.compose);
  }
}
