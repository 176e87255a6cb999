// GLSL of the fluid: spheres, and a surface in screen space from depth, thickness and normals.

// The studio as a function of direction, so that fluid reflects what the backdrop suggests: a large
// light from the upper left, a smaller one from the right, one from behind.
const studio = /* glsl */ `
uniform vec3 backdropLow, backdropHigh;
uniform float lamps;
vec3 backdrop(vec3 d) { return mix(backdropLow, backdropHigh, smoothstep(-0.25, 0.75, d.y)); }
vec3 studio(vec3 d, float roughness) {
  float soft = mix(0.03, 0.5, roughness);
  float key = smoothstep(0.86 - soft, 0.86 + soft, dot(d, normalize(vec3(-0.55, 0.75, 0.45))));
  float fill = smoothstep(0.93 - soft, 0.93 + soft, dot(d, normalize(vec3(0.85, 0.45, 0.35))));
  float back = smoothstep(0.9 - soft, 0.9 + soft, dot(d, normalize(vec3(0.25, 0.55, -0.85))));
  float strength = lamps / (1.0 + 3.0 * roughness);
  return backdrop(d) + strength * (3.2 * key * vec3(1.0, 0.97, 0.92) + 1.1 * fill * vec3(0.9, 0.95, 1.0) +
                                   1.3 * back);
}
vec3 diffuseLight(vec3 n, float lit) { // lit: 0 in the shadow of the large light
  float key = lit * max(0.0, dot(n, normalize(vec3(-0.55, 0.75, 0.45))) * 0.85 + 0.15);
  float fill = max(0.0, dot(n, normalize(vec3(0.85, 0.45, 0.35))));
  vec3 sky = mix(backdropLow, backdropHigh, 0.5 + 0.5 * n.y);
  return 0.75 * sky + lamps * (0.95 * key * vec3(1.0, 0.97, 0.92) + 0.22 * fill);
}`;

const colours = /* glsl */ `
uniform sampler2D looks;       // columns: materials; rows: colour and kind, numbers, more numbers
uniform sampler2D colourMap;
uniform int colouring;         // 0: look, 1: by material, 2: by field
struct Look { vec3 color; int kind; float roughness, coat, depth, cloudiness, refraction; };
Look lookOf(float material, float value) {
  int column = int(material + 0.5);
  vec4 a = texelFetch(looks, ivec2(column, 0), 0), b = texelFetch(looks, ivec2(column, 1), 0);
  vec4 c = texelFetch(looks, ivec2(column, 2), 0);
  vec4 d = texelFetch(looks, ivec2(column, 3), 0);
  Look look = Look(a.rgb, int(a.a + 0.5), b.x, b.y, b.z, b.w, c.x);
  if (colouring > 0) {
    vec3 srgb = texture(colourMap, vec2(value * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb;
    look = Look(colouring == 2 ? pow(srgb, vec3(2.2)) : d.rgb, 0, 0.3, 0.6, 1.0, 0.0, 1.45);
  }
  return look;
}`;

export const pointVertex = /* glsl */ `
in float value;
in float material;
uniform float radius, pixels; // pixels: of a unit length at unit distance
out float vValue, vMaterial;
out vec3 vCentre;
void main() {
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  vCentre = eye.xyz;
  vValue = value;
  vMaterial = material;
  gl_Position = projectionMatrix * eye;
  gl_PointSize = max(2.0 * radius * pixels / max(-eye.z, 1e-6), 1.0);
}`;

// The same for the light's camera, which has no perspective.
export const shadowVertex = /* glsl */ `
uniform float radius, pixels;
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = max(2.0 * radius * pixels, 1.0);
}`;

export const shadowFragment = /* glsl */ `
out vec4 color;
void main() {
  vec2 q = 2.0 * gl_PointCoord - 1.0;
  if (dot(q, q) > 1.0) discard;
  color = vec4(1.0);
}`;

const sphere = /* glsl */ `
in float vValue, vMaterial;
in vec3 vCentre;
uniform float radius;
uniform mat4 projection;
// Normal of the sphere at this pixel; sets its depth.
vec3 sphereNormal() {
  vec2 q = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float r2 = dot(q, q);
  if (r2 > 1.0) discard;
  return vec3(q, sqrt(1.0 - r2));
}
float depthOf(float z) {
  vec4 clip = projection * vec4(0.0, 0.0, z, 1.0);
  return 0.5 * clip.z / clip.w + 0.5;
}`;

export const spheresFragment = /* glsl */ `
${studio}
${colours}
${sphere}
uniform mat3 toWorld;
out vec4 color;
void main() {
  vec3 n = sphereNormal();
  vec3 at = vCentre + radius * n;
  gl_FragDepth = depthOf(at.z);
  Look look = lookOf(vMaterial, vValue);
  vec3 v = normalize(-at), world = toWorld * n, mirrored = toWorld * reflect(-v, n);
  float f0 = pow((look.refraction - 1.0) / (look.refraction + 1.0), 2.0);
  float fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(n, v), 0.0), 5.0);
  color = vec4(look.color * diffuseLight(world, 1.0) + fresnel * look.coat * studio(mirrored, look.roughness), 1.0);
}`;

// Eye depth, field and material of the nearest sphere.
export const depthFragment = /* glsl */ `
${sphere}
out vec4 result;
void main() {
  vec3 n = sphereNormal();
  float z = vCentre.z + radius * n.z;
  gl_FragDepth = depthOf(z);
  result = vec4(-z, vValue, vMaterial, 1.0);
}`;

// Length of the ray inside each sphere; sums by blending. Volumes overlap, hence the factor.
export const thicknessFragment = /* glsl */ `
${sphere}
uniform sampler2D sceneDepth;
uniform vec2 size;
out vec4 result;
void main() {
  vec3 n = sphereNormal();
  if (depthOf(vCentre.z + radius * n.z) > texture(sceneDepth, gl_FragCoord.xy / size).r) discard;
  result = vec4(0.5 * 2.0 * radius * n.z, 0.0, 0.0, 1.0);
}`;

export const screenVertex = /* glsl */ `
out vec2 place;
void main() {
  place = 0.5 * position.xy + 0.5;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

// One direction of a narrow-range filter (Truong and Yuksel 2018): a Gaussian that leaves out what is
// far behind and takes what is far in front as if it were just in front, so that silhouettes stay
// and the noise of the spheres goes. Values of the field go along.
export const smoothFragment = /* glsl */ `
in vec2 place;
uniform sampler2D source;
uniform vec2 direction; // of one pixel
uniform float radius, pixels, reachFactor;
out vec4 result;
void main() {
  vec4 here = texture(source, place);
  result = here;
  if (here.a < 0.5) return;
  float reach = clamp(reachFactor * radius * pixels / here.r, 2.0, 48.0);
  float stride = max(1.0, reach / 12.0), range = 2.5 * radius;
  float sum = 1.0, depth = here.r, value = here.g;
  for (int i = 1; i <= 12; i++) {
    float at = floor(float(i) * stride + 0.5), share = at / reach;
    if (share > 1.0) break;
    vec4 a = texture(source, place + at * direction), b = texture(source, place - at * direction);
    // both sides or none: one alone would tilt the surface
    if (a.a < 0.5 || b.a < 0.5 || a.r > here.r + range || b.r > here.r + range) continue;
    float weight = exp(-3.0 * share * share);
    sum += 2.0 * weight;
    depth += weight * (max(a.r, here.r - 0.5 * range) + max(b.r, here.r - 0.5 * range));
    value += weight * (a.g + b.g);
  }
  result = vec4(depth / sum, value / sum, here.b, 1.0);
}`;

export const composeFragment = /* glsl */ `
${studio}
${colours}
in vec2 place;
uniform sampler2D sceneColor, sceneDepth, fluid, thickness;
uniform mat4 inverseProjection;
uniform mat3 toWorld;
uniform vec2 size;
uniform bool hasFluid;
out vec4 color;

float eyeDepth(vec2 at) {
  vec4 clip = vec4(2.0 * at - 1.0, 2.0 * texture(sceneDepth, at).r - 1.0, 1.0);
  vec4 eye = inverseProjection * clip;
  return -eye.z / eye.w;
}
vec3 eyeAt(vec2 at, float depth) {
  vec4 ray = inverseProjection * vec4(2.0 * at - 1.0, 0.0, 1.0);
  vec3 direction = ray.xyz / ray.w;
  return direction * (depth / -direction.z);
}
// Difference to the neighbour that is nearer in depth: edges keep their own slope.
vec3 slope(vec2 step, vec3 here) {
  vec4 a = texture(fluid, place + step), b = texture(fluid, place - step);
  vec3 forward = eyeAt(place + step, a.r) - here, backward = here - eyeAt(place - step, b.r);
  bool useForward = a.a > 0.5 && (b.a < 0.5 || abs(forward.z) < abs(backward.z));
  return useForward ? forward : b.a > 0.5 ? backward : vec3(step, 0.0);
}
vec3 toScreen(vec3 linear) {
  vec3 x = max(linear * 0.8, 0.0); // filmic curve: highlights roll off
  x = (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14);
  vec3 low = 12.92 * x, high = 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055;
  return mix(low, high, step(0.0031308, x));
}
vec3 shade(vec4 found) {
  vec3 here = eyeAt(place, found.r);
  vec3 n = normalize(cross(slope(vec2(1.0 / size.x, 0.0), here), slope(vec2(0.0, 1.0 / size.y), here)));
  if (!(dot(n, n) > 0.5)) n = vec3(0.0, 0.0, 1.0);
  vec3 v = normalize(-here);
  if (dot(n, v) < 0.0) n = normalize(n - 2.0 * dot(n, v) * v);
  Look look = lookOf(texture(fluid, place).b, found.g);
  float thick = texture(thickness, place).r;
  vec3 world = toWorld * n, mirrored = toWorld * reflect(-v, n);
  float f0 = pow((look.refraction - 1.0) / (look.refraction + 1.0), 2.0);
  float fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(n, v), 0.0), 5.0);
  vec3 light = diffuseLight(world, 1.0), body = look.color * light;
  if (look.kind == 1) {
    return look.color * studio(mirrored, look.roughness);
  }
  if (look.kind == 2) {
    float bend = (1.0 - 1.0 / look.refraction) * min(thick / found.r, 0.15);
    vec2 at = clamp(place - bend * 0.9 * n.xy, vec2(0.002), vec2(0.998));
    vec3 behind = texture(sceneColor, eyeDepth(at) > found.r - thick ? at : place).rgb;
    float depths = thick / max(look.depth, 1e-6);
    vec3 passed = behind * exp(log(max(look.color, vec3(1e-3))) * depths);
    // light that comes back from inside has passed the fluid twice
    float scattered = 1.0 - exp(-(0.5 + look.cloudiness) * depths);
    vec3 inside = pow(max(look.color, vec3(1e-3)), vec3(1.0 + 1.3 * min(depths, 1.2)));
    body = mix(passed, inside * light, 0.7 * scattered);
  } else if (look.kind == 3) {
    float through = exp(-thick / max(look.depth, 1e-6));
    body = look.color * (0.72 * light + 0.28 * diffuseLight(vec3(0.0, 1.0, 0.0), 1.0)) +
           0.35 * through * look.color * backdropHigh;
  }
  return body * (1.0 - fresnel * look.coat) + fresnel * look.coat * studio(mirrored, look.roughness);
}
void main() {
  vec3 shown = texture(sceneColor, place).rgb;
  if (hasFluid) {
    vec4 found = texture(fluid, place);
    if (found.a > 0.5 && found.r < eyeDepth(place) * 1.0005) shown = shade(found);
  }
  float vignette = 1.0 - 0.18 * dot(place - 0.5, place - 0.5) * 2.0;
  color = vec4(toScreen(shown * vignette), 1.0);
}`;

export const backdropFragment = /* glsl */ `
${studio}
in vec3 direction;
out vec4 color;
void main() { color = vec4(backdrop(normalize(direction)), 1.0); }`;

export const backdropVertex = /* glsl */ `
out vec3 direction;
void main() {
  direction = (modelMatrix * vec4(position, 0.0)).xyz;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Solids and the ground, in the same light.
export const solidVertex = /* glsl */ `
uniform mat4 toLight;
out vec3 at, side, onMap;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  at = world.xyz;
  side = mat3(modelMatrix) * normal;
  onMap = (toLight * world).xyz * 0.5 + 0.5; // the light's camera has no perspective
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

export const solidFragment = /* glsl */ `
${studio}
uniform sampler2D shadowMap;
uniform vec3 tint;
uniform float roughness, coat, refraction, opacity, fade; // fade: radius at which the ground ends; 0: never
uniform vec3 middle;
uniform float dim; // of the ground: a bright one is too bright in the dark
uniform bool metal;
in vec3 at, side, onMap;
out vec4 color;
float lit() {
  if (any(lessThan(onMap, vec3(0.0))) || any(greaterThan(onMap, vec3(1.0)))) return 1.0;
  vec2 pixel = 1.0 / vec2(textureSize(shadowMap, 0));
  float sum = 0.0;
  for (int x = -1; x <= 1; x++) {
    for (int y = -1; y <= 1; y++) {
      sum += step(onMap.z - 0.004, texture(shadowMap, onMap.xy + 1.5 * vec2(x, y) * pixel).r);
    }
  }
  return sum / 9.0;
}
void main() {
  vec3 v = normalize(cameraPosition - at), n = normalize(side);
  if (dot(n, v) < 0.0) n = -n;
  vec3 mirrored = reflect(-v, n);
  float f0 = pow((refraction - 1.0) / (refraction + 1.0), 2.0);
  float fresnel = coat * (f0 + (1.0 - f0) * pow(1.0 - max(dot(n, v), 0.0), 5.0)) * (1.0 - 0.8 * roughness);
  float bright = lit();
  vec3 body = fade > 0.0 ? dim * tint : tint;
  vec3 shown = metal ? tint * studio(mirrored, roughness) * (0.6 + 0.4 * bright)
                     : body * diffuseLight(n, bright) + fresnel * studio(mirrored, roughness);
  float reach = fade > 0.0 ? length(at - middle) / fade : 0.0;
  float alpha = opacity < 1.0 ? max(opacity, min(1.0, 2.0 * fresnel)) : 1.0 - smoothstep(0.12, 0.95, reach);
  color = vec4(shown, alpha);
}`;
