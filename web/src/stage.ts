// The scene in three dimensions: camera, lights, solids, nozzles and the fluid.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { mergeVertices, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Theme } from "./colours";
import { Fluid, material, type Uniforms } from "./fluid";
import { solidFragment, solidVertex } from "./shaders";
import type { Frame, Look, Nozzle, Scene, Solid, Solids } from "./messages";

export interface Hit { kind: "solid" | "nozzle"; index: number; point: THREE.Vector3; origin: THREE.Vector3 }

const castsShadow = 1; // a layer

export class Stage {
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.001, 100);
  readonly controls: OrbitControls;
  readonly fluid: Fluid;
  readonly renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private root = new THREE.Group(); // turns the scene's up to y
  private light = new THREE.OrthographicCamera();
  private shadowMap: THREE.WebGLRenderTarget;
  private shadowPixels = 1;
  private caster = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
  private shared: Uniforms; // of the solids
  private solids: THREE.Object3D[] = [];
  private nozzles: THREE.Object3D[] = [];
  private solidInfo: Solid[] = [];
  private nozzleInfo: Nozzle[] = [];
  private description: Scene | null = null;
  private frame: Frame | null = null;
  private framed = false;
  private bounds = new THREE.Box3();

  constructor(private canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.fluid = new Fluid(this.renderer);
    this.shadowMap = new THREE.WebGLRenderTarget(1024, 1024, { minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
    this.shadowMap.depthTexture = new THREE.DepthTexture(1024, 1024, THREE.UnsignedIntType);
    this.light.layers.set(castsShadow);
    this.shared = { ...this.fluid.studio, toLight: { value: new THREE.Matrix4() },
      shadowMap: { value: this.shadowMap.depthTexture }, middle: { value: new THREE.Vector3() }, dim: { value: 1 } };
    const sky = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 16), this.fluid.backdrop);
    sky.frustumCulled = false;
    sky.renderOrder = -1;
    sky.onBeforeRender = (_r, _s, camera) => {
      sky.position.copy(camera.position);
      sky.scale.setScalar(0.5 * (camera as THREE.PerspectiveCamera).far);
      sky.updateMatrixWorld();
    };
    this.scene.add(sky, this.root);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("start", () => { this.moved = true; });
    this.controls.addEventListener("change", () => { this.stale = true; });
  }

  private moved = false; // the user has moved the camera
  quality = 1; // share of the screen's resolution
  stale = true; // the picture is another than the one on the screen

  setTheme(theme: Theme) {
    this.fluid.setTheme(theme);
    this.shared.dim.value = theme.dark ? 0.16 : 1;
    this.stale = true;
  }

  setScene(description: Scene) {
    this.description = description;
    this.solidInfo = description.solids;
    this.nozzleInfo = description.nozzles;
    this.root.rotation.set(description.up === 2 ? -Math.PI / 2 : 0, 0, description.up === 0 ? Math.PI / 2 : 0);
    this.root.updateMatrixWorld();
    this.fluid.setScene(description.materials, description.spacing, this.root);
    for (const object of [...this.solids, ...this.nozzles]) this.root.remove(object);
    this.solids = [];
    this.nozzles = description.nozzles.map((nozzle) => this.addNozzle(nozzle));
    this.framed = false;
    this.frame = null;
    this.stale = true;
  }

  private solidMaterial(look: Pick<Look, "color" | "look" | "roughness" | "coat" | "refraction">, more: object = {}) {
    const clear = look.look === "clear", metal = look.look === "metal";
    return material(solidVertex, solidFragment, { ...this.shared, tint: { value: new THREE.Vector3(...look.color) },
      roughness: { value: look.roughness }, coat: { value: look.coat }, refraction: { value: look.refraction },
      opacity: { value: clear ? 0.16 : 1 }, fade: { value: 0 }, metal: { value: metal } },
      { side: THREE.DoubleSide, transparent: clear, depthWrite: !clear, ...more });
  }

  private addNozzle(nozzle: Nozzle): THREE.Object3D {
    const r = Math.max(nozzle.radius, 1e-4), length = Math.max(3 * r, 0);
    const shape = new THREE.CylinderGeometry(1.5 * r, 1.08 * r, length, 40, 1, true);
    shape.translate(0, length / 2, 0);
    const tube = new THREE.Mesh(shape, this.solidMaterial({ color: [0.5, 0.51, 0.53], look: "metal",
      roughness: 0.25, coat: 1, refraction: 1.5 }));
    tube.layers.enable(castsShadow);
    const direction = new THREE.Vector3(...nozzle.direction);
    tube.quaternion.setFromUnitVectors(new THREE.Vector3(0, -1, 0), direction.normalize());
    this.root.add(tube);
    return tube;
  }

  setSolids(solids: Solids) {
    for (const object of this.solids) this.root.remove(object);
    this.solids = solids.meshes.map((mesh, i) => {
      const info = this.solidInfo[i];
      const object = info.plane && info.visible ? this.addPlane(info) : this.addSolid(info, mesh);
      this.root.add(object);
      return object;
    });
    this.stale = true;
  }

  private addSolid(info: Solid, mesh: Solids["meshes"][number]): THREE.Object3D {
    if (mesh.triangles.length === 0) return new THREE.Group();
    let shape = new THREE.BufferGeometry();
    shape.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
    shape.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
    if (mesh.triangles.length < 600000) shape = toCreasedNormals(mergeVertices(shape), 0.6);
    else shape.computeVertexNormals();
    // the inside of a container is seen through the walls that face away
    const object = new THREE.Mesh(shape, this.solidMaterial(info, info.container ? { side: THREE.FrontSide } : {}));
    if (!info.container && info.look !== "clear") object.layers.enable(castsShadow);
    object.renderOrder = info.look === "clear" ? 2 : 0;
    return object;
  }

  private addPlane(info: Solid): THREE.Object3D {
    const group = new THREE.Group();
    const disc = new THREE.Mesh(new THREE.CircleGeometry(1, 96), this.solidMaterial(info, { transparent: true }));
    disc.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...(info.normal ?? [0, 1, 0])));
    disc.renderOrder = 1;
    disc.name = "ground";
    group.add(disc);
    return group;
  }

  setFrame(frame: Frame) {
    this.frame = frame;
    this.fluid.setFrame(frame);
    this.solids.forEach((object, i) => {
      const p = frame.poses.subarray(7 * i, 7 * i + 7);
      if (p.length < 7) return;
      object.position.set(p[0], p[1], p[2]);
      object.quaternion.set(p[3], p[4], p[5], p[6]);
    });
    this.nozzles.forEach((object, i) => {
      const p = frame.nozzles.subarray(3 * i, 3 * i + 3);
      object.visible = p.length === 3;
      if (p.length === 3) object.position.set(p[0], p[1], p[2]);
    });
    if (!this.framed) this.home();
    this.stale = true;
  }

  private measure() {
    this.bounds.makeEmpty();
    this.root.updateMatrixWorld(true);
    this.solids.forEach((object, i) => {
      if (!this.solidInfo[i]?.plane) this.bounds.expandByObject(object);
    });
    for (const object of this.nozzles) if (object.visible) this.bounds.expandByObject(object);
    if (this.frame && this.frame.count > 0) {
      const box = new THREE.Box3(new THREE.Vector3(...this.frame.low), new THREE.Vector3(...this.frame.high));
      this.bounds.union(box.applyMatrix4(this.root.matrixWorld));
    }
    if (this.bounds.isEmpty()) this.bounds.set(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 1, 1));
  }

  // The whole scene in view, from its own camera where it names one.
  home() {
    this.measure();
    this.moved = false;
    this.framed = true;
    const sphere = this.bounds.getBoundingSphere(new THREE.Sphere());
    const r = Math.max(sphere.radius, 1e-4), target = sphere.center.clone();
    const given = (v: (number | null)[] | undefined) => v && v.every((x) => x !== null)
      ? new THREE.Vector3(...(v as [number, number, number])).applyMatrix4(this.root.matrixWorld) : null;
    const from = given(this.description?.camera), at = given(this.description?.lookAt);
    this.camera.fov = this.description?.fieldOfView ?? 40;
    const tall = Math.min(1, this.camera.aspect);
    const distance = (1.06 * r) / Math.sin((Math.PI / 360) * this.camera.fov) / tall;
    this.controls.target.copy(at ?? target);
    this.camera.position.copy(from && tall === 1 ? from
      : target.clone().addScaledVector(new THREE.Vector3(0.35, 0.42, 0.84).normalize(), distance));
    this.camera.near = 0.01 * r;
    this.camera.far = 60 * r + 4 * this.camera.position.distanceTo(target);
    this.camera.updateProjectionMatrix();
    this.controls.maxDistance = 0.4 * this.camera.far;
    this.light.position.copy(target).add(new THREE.Vector3(-0.55, 0.75, 0.45).normalize().multiplyScalar(4 * r));
    this.light.lookAt(target);
    [this.light.left, this.light.right, this.light.bottom, this.light.top] = [-2 * r, 2 * r, -2 * r, 2 * r];
    [this.light.near, this.light.far] = [0.1 * r, 8 * r];
    this.light.updateProjectionMatrix();
    this.light.updateMatrixWorld();
    this.shadowPixels = this.shadowMap.width / (4 * r);
    this.shared.toLight.value.multiplyMatrices(this.light.projectionMatrix, this.light.matrixWorldInverse);
    this.shared.middle.value.copy(target);
    for (const object of this.solids) {
      const disc = object.getObjectByName("ground") as THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial> | undefined;
      if (!disc) continue;
      disc.scale.setScalar(9 * r);
      disc.material.uniforms.fade.value = 9 * r;
    }
    this.controls.update();
    this.stale = true;
  }

  turn(left: number, up: number) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const s = new THREE.Spherical().setFromVector3(offset);
    this.moved = true;
    s.theta += left;
    s.phi = Math.min(Math.max(s.phi - up, 0.05), Math.PI - 0.05);
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(s));
    this.controls.update();
    this.stale = true;
  }

  zoom(factor: number) {
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.stale = true;
  }

  private ray(event: { clientX: number; clientY: number }): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height), this.camera);
    return caster;
  }

  // The solid or nozzle under the pointer; planes are not moved.
  pick(event: { clientX: number; clientY: number }): Hit | null {
    const caster = this.ray(event);
    let best: Hit | null = null, nearest = Infinity;
    const test = (object: THREE.Object3D, kind: Hit["kind"], index: number) => {
      const hit = caster.intersectObject(object, true)[0];
      if (hit && hit.distance < nearest) {
        nearest = hit.distance;
        best = { kind, index, point: hit.point, origin: object.position.clone() };
      }
    };
    this.solids.forEach((object, i) => { if (!this.solidInfo[i].plane) test(object, "solid", i); });
    this.nozzles.forEach((object, i) => {
      if (this.nozzleInfo[i].movable && object.visible) test(object, "nozzle", i);
    });
    return best;
  }

  // The particle that the pointer's ray passes nearest, in the world; null: none near the ray.
  pickParticle(event: { clientX: number; clientY: number }): THREE.Vector3 | null {
    if (!this.frame || !this.description) return null;
    const ray = this.ray(event).ray.clone().applyMatrix4(this.root.matrixWorld.clone().invert());
    const reach = (2 * this.description.spacing) ** 2, at = new THREE.Vector3();
    let best = Infinity, found: THREE.Vector3 | null = null;
    for (let i = 0; i < this.frame.count; i++) {
      at.fromArray(this.frame.positions, 3 * i);
      if (ray.distanceSqToPoint(at) > reach) continue;
      const along = at.clone().sub(ray.origin).dot(ray.direction);
      if (along > 0 && along < best) {
        best = along;
        found = at.clone();
      }
    }
    return found?.applyMatrix4(this.root.matrixWorld) ?? null;
  }

  // Where the pointer is in the plane through `point` that faces the camera.
  inPlane(event: { clientX: number; clientY: number }, point: THREE.Vector3): THREE.Vector3 | null {
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(
      this.camera.getWorldDirection(new THREE.Vector3()), point);
    return this.ray(event).ray.intersectPlane(plane, new THREE.Vector3());
  }

  // A point or a direction of the world in the coordinates of the scene.
  toScene(v: THREE.Vector3, direction = false): THREE.Vector3 {
    const inverse = this.root.matrixWorld.clone().invert();
    return direction ? v.clone().transformDirection(inverse).multiplyScalar(v.length()) : v.clone().applyMatrix4(inverse);
  }

  // Where the solid or nozzle is now, in the scene.
  placeOf(hit: Hit): THREE.Vector3 { return (hit.kind === "solid" ? this.solids : this.nozzles)[hit.index].position; }

  // Half the diagonal of the scene, m.
  get size(): number { return Math.max(this.bounds.getBoundingSphere(new THREE.Sphere()).radius, 1e-4); }

  viewDirection(): THREE.Vector3 { return this.camera.getWorldDirection(new THREE.Vector3()); }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    const ratio = Math.min(window.devicePixelRatio, 1.5) * this.quality;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(Math.max(1, box.width), Math.max(1, box.height), false);
    const aspect = box.width / Math.max(box.height, 1), other = Math.abs(aspect - this.camera.aspect) > 0.01;
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (other && this.frame && !this.moved) this.home();
    this.stale = true;
  }

  render() {
    this.stale = false;
    this.renderer.setRenderTarget(this.shadowMap);
    this.renderer.clear();
    this.scene.overrideMaterial = this.caster;
    this.renderer.render(this.scene, this.light);
    this.scene.overrideMaterial = null;
    this.fluid.drawShadows(this.light, this.shadowPixels);
    this.fluid.render(this.scene, this.camera);
  }
}
