// style: a warp follows a ray, and each lane adds what its own sample gives
#include <cuda_runtime.h>

namespace {

// A warp follows one ray, 32 samples at a time: each lane looks at one of them.
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int warp_size = 32, rays_per_block = 8;

// What both directions are given.
struct Scene {
    const float* rays_o;
    const float* rays_d;
    const float4* field;
    const float* bg;
    int R, G, S;
    float t_near, dt, T_min;
};

// Where a sample lies: the lowest node of its cell (-1 outside of the cube), and how far from it.
struct Place {
    int node;
    float x, y, z;
};

struct Sample {
    Place place;
    float t, slope, tau;
    float3 colour;
};

__device__ float softplus(float x) { return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x))); }
__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 load3(const float* from, long long row) {
    return make_float3(from[3 * row], from[3 * row + 1], from[3 * row + 2]);
}

__device__ Place locate(float3 p, int G) {
    if (fabsf(p.x) > 1.0f || fabsf(p.y) > 1.0f || fabsf(p.z) > 1.0f) {
        return {-1, 0.0f, 0.0f, 0.0f};
    }
    const float scale = 0.5f * static_cast<float>(G - 1);
    const float u = (p.x + 1.0f) * scale, v = (p.y + 1.0f) * scale, w = (p.z + 1.0f) * scale;
    // At p = 1 the last cell, of whose nodes the upper ones have all the weight.
    const int x = min(static_cast<int>(u), G - 2), y = min(static_cast<int>(v), G - 2);
    const int z = min(static_cast<int>(w), G - 2);
    return {(z * G + y) * G + x, u - x, v - y, w - z};
}

__device__ float4 mix(float4 a, float4 b, float f) {
    return make_float4(a.x + f * (b.x - a.x), a.y + f * (b.y - a.y), a.z + f * (b.z - a.z),
                       a.w + f * (b.w - a.w));
}

__device__ float4 interpolate(const Scene& scene, const Place& at) {
    const float4* const node = scene.field + at.node;
    const int dy = scene.G, dz = scene.G * scene.G;
    const float4 near_low = mix(node[0], node[1], at.x);
    const float4 near_high = mix(node[dy], node[dy + 1], at.x);
    const float4 far_low = mix(node[dz], node[dz + 1], at.x);
    const float4 far_high = mix(node[dz + dy], node[dz + dy + 1], at.x);
    return mix(mix(near_low, near_high, at.y), mix(far_low, far_high, at.y), at.z);
}

__device__ Sample look(const Scene& scene, float3 o, float3 d, int i, int end) {
    Sample sample{};
    sample.t = scene.t_near + (i + 0.5f) * scene.dt;
    const float t = sample.t;
    sample.place = locate(make_float3(o.x + t * d.x, o.y + t * d.y, o.z + t * d.z), scene.G);
    if (i >= end || sample.place.node < 0) {
        sample.place.node = -1;
        return sample;
    }
    const float4 raw = interpolate(scene, sample.place);
    sample.slope = sigmoid(raw.x);
    sample.tau = softplus(raw.x) * scene.dt;
    sample.colour = make_float3(sigmoid(raw.y), sigmoid(raw.z), sigmoid(raw.w));
    return sample;
}

// The sum of this lane's value and of all before it.
__device__ float scan(float value) {
    for (int delta = 1; delta < warp_size; delta *= 2) {
        const float before = __shfl_up_sync(all_lanes, value, delta);
        value += threadIdx.x >= delta ? before : 0.0f;
    }
    return value;
}

__device__ float sum(float value) {
    for (int delta = warp_size / 2; delta > 0; delta /= 2) {
        value += __shfl_xor_sync(all_lanes, value, delta);
    }
    return value;
}

// Optical depth before and behind a sample. The one before is not the difference: a sample so
// opaque that it swallows the digits of those before it would give it back wrong.
struct Depths {
    float before, behind;
};

__device__ Depths depths(float tau, float already) {
    const float scanned = scan(tau);
    const float previous = __shfl_up_sync(all_lanes, scanned, 1);
    return {already + (threadIdx.x > 0 ? previous : 0.0f), already + scanned};
}

__device__ float last_of(float value) {
    return __shfl_sync(all_lanes, value, warp_size - 1);
}

__device__ long long ray_of_warp() {
    return static_cast<long long>(blockIdx.x) * rays_per_block + threadIdx.y;
}

__global__ void forward_kernel(Scene scene, float* rgb, float* depth, float* opacity, int* steps) {
    const long long ray = ray_of_warp();
    if (ray >= scene.R) {
        return;
    }
    const float3 o = load3(scene.rays_o, ray), d = load3(scene.rays_d, ray);
    const int lane = threadIdx.x;
    float3 colour = make_float3(0.0f, 0.0f, 0.0f);
    float distance = 0.0f, optical = 0.0f, left = 1.0f;
    int looked_at = scene.S;
    for (int first = 0; first < scene.S; first += warp_size) {
        const Sample sample = look(scene, o, d, first + lane, scene.S);
        const Depths tau = depths(sample.tau, optical);
        const float behind = expf(-tau.behind);
        const unsigned below = __ballot_sync(all_lanes, behind < scene.T_min);
        const int last = below ? __ffs(below) - 1 : warp_size - 1;
        if (lane <= last) {
            const float weight = expf(-tau.before) * -expm1f(-sample.tau);
            colour.x += weight * sample.colour.x;
            colour.y += weight * sample.colour.y;
            colour.z += weight * sample.colour.z;
            distance += weight * sample.t;
        }
        left = __shfl_sync(all_lanes, behind, last);
        if (below) {
            looked_at = first + last + 1;
            break;
        }
        optical = last_of(tau.behind);
    }
    colour = make_float3(sum(colour.x), sum(colour.y), sum(colour.z));
    distance = sum(distance);
    if (lane == 0) {
        rgb[3 * ray] = colour.x + left * scene.bg[0];
        rgb[3 * ray + 1] = colour.y + left * scene.bg[1];
        rgb[3 * ray + 2] = colour.z + left * scene.bg[2];
        depth[ray] = distance;
        opacity[ray] = 1.0f - left;
        steps[ray] = looked_at;
    }
}

__device__ void add_to_lattice(float* grad_field, const Place& at, int G, const float* grad_raw) {
    for (int corner = 0; corner < 8; corner++) {
        const int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        const float weight = (x ? at.x : 1.0f - at.x) * (y ? at.y : 1.0f - at.y) *
                             (z ? at.z : 1.0f - at.z);
        float* const node = grad_field + 4LL * (at.node + (z * G + y) * G + x);
        for (int c = 0; c < 4; c++) {
            atomicAdd(&node[c], weight * grad_raw[c]);
        }
    }
}

struct Given {
    const float *grad_rgb, *grad_depth, *grad_opacity, *rgb, *depth, *opacity;
    const int* steps;
};

__global__ void backward_kernel(Scene scene, Given given, float* grad_field) {
    const long long ray = ray_of_warp();
    if (ray >= scene.R) {
        return;
    }
    const float3 o = load3(scene.rays_o, ray), d = load3(scene.rays_d, ray);
    const float3 grad_rgb = load3(given.grad_rgb, ray);
    const float grad_depth = given.grad_depth ? given.grad_depth[ray] : 0.0f;
    const float grad_opacity = given.grad_opacity ? given.grad_opacity[ray] : 0.0f;
    // What the samples not yet passed, and the background, add to the loss.
    float rest = dot(grad_rgb, load3(given.rgb, ray)) + grad_depth * given.depth[ray] -
                 grad_opacity * (1.0f - given.opacity[ray]);
    const int steps = given.steps[ray], lane = threadIdx.x;
    float optical = 0.0f;
    for (int first = 0; first < steps; first += warp_size) {
        const Sample sample = look(scene, o, d, first + lane, steps);
        const Depths tau = depths(sample.tau, optical);
        const float weight = expf(-tau.before) * -expm1f(-sample.tau);
        const float worth = dot(grad_rgb, sample.colour) + grad_depth * sample.t;
        const float behind = rest - scan(weight * worth);
        const float3 c = sample.colour;
        const float grad_raw[4] = {
            sample.slope * scene.dt * (expf(-tau.behind) * worth - behind),
            weight * c.x * (1.0f - c.x) * grad_rgb.x,
            weight * c.y * (1.0f - c.y) * grad_rgb.y,
            weight * c.z * (1.0f - c.z) * grad_rgb.z,
        };
        if (sample.place.node >= 0) {
            add_to_lattice(grad_field, sample.place, scene.G, grad_raw);
        }
        optical = last_of(tau.behind);
        rest = last_of(behind);
    }
}

bool is_valid(int R, int G, int S) { return R >= 0 && S >= 0 && G >= 2; }

unsigned num_blocks_for(int R) { return (R - 1U) / rays_per_block + 1; }

}  // namespace

extern "C" cudaError_t nerf_forward(const float* rays_o, const float* rays_d, int R,
                                    const float* field, int G, float t_near, float dt, int S,
                                    float T_min, const float* bg, float* rgb, float* depth,
                                    float* opacity, int* steps, cudaStream_t stream) {
    if (!is_valid(R, G, S)) {
        return cudaErrorInvalidValue;
    }
    if (R == 0) {
        return cudaSuccess;
    }
    const float4* const nodes = reinterpret_cast<const float4*>(field);
    const Scene scene{rays_o, rays_d, nodes, bg, R, G, S, t_near, dt, T_min};
    forward_kernel<<<num_blocks_for(R), dim3(warp_size, rays_per_block), 0, stream>>>(
        scene, rgb, depth, opacity, steps);
    return cudaGetLastError();
}

extern "C" cudaError_t nerf_backward(const float* grad_rgb, const float* grad_depth,
                                     const float* grad_opacity, const float* rays_o,
                                     const float* rays_d, int R, const float* field, int G,
                                     float t_near, float dt, int S, float T_min, const float* bg,
                                     const float* rgb, const float* depth, const float* opacity,
                                     const int* steps, float* grad_field, cudaStream_t stream) {
    if (!is_valid(R, G, S)) {
        return cudaErrorInvalidValue;
    }
    const size_t num_bytes = sizeof(float4) * G * G * G;
    const cudaError_t zeroed = cudaMemsetAsync(grad_field, 0, num_bytes, stream);
    if (zeroed != cudaSuccess || R == 0) {
        return zeroed;
    }
    const float4* const nodes = reinterpret_cast<const float4*>(field);
    const Scene scene{rays_o, rays_d, nodes, bg, R, G, S, t_near, dt, T_min};
    const Given given{grad_rgb, grad_depth, grad_opacity, rgb, depth, opacity, steps};
    backward_kernel<<<num_blocks_for(R), dim3(warp_size, rays_per_block), 0, stream>>>(
        scene, given, grad_field);
    return cudaGetLastError();
}
