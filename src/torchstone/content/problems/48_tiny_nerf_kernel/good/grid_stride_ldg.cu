// style: a grid of fixed size strides over the rays; everything is read through __ldg
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int block_size = 64, most_blocks = 48;

struct Ray {
    float ox, oy, oz, dx, dy, dz;
};

struct March {
    const float4* field;
    int64_t num_rays;
    int G, S;
    float t_near, dt;
};

struct Stencil {
    int64_t node;
    float fx, fy, fz;
};

__device__ Ray load_ray(const float* o, const float* d, int64_t ray) {
    return {__ldg(o + 3 * ray), __ldg(o + 3 * ray + 1), __ldg(o + 3 * ray + 2),
            __ldg(d + 3 * ray), __ldg(d + 3 * ray + 1), __ldg(d + 3 * ray + 2)};
}

__device__ bool is_empty(float p) { return p < -1.0f || p > 1.0f; }

__device__ float split(float p, int G, int& cell) {
    const float u = (p + 1.0f) / 2.0f * float(G - 1);
    cell = int(u) < G - 1 ? int(u) : G - 2;
    return u - float(cell);
}

__device__ bool place(const March& march, const Ray& ray, float t, Stencil& at) {
    const float px = ray.ox + t * ray.dx, py = ray.oy + t * ray.dy, pz = ray.oz + t * ray.dz;
    if (is_empty(px) || is_empty(py) || is_empty(pz)) return false;
    int x, y, z;
    at.fx = split(px, march.G, x);
    at.fy = split(py, march.G, y);
    at.fz = split(pz, march.G, z);
    at.node = (int64_t(z) * march.G + y) * march.G + x;
    return true;
}

__device__ void accumulate(float4& sum, float weight, float4 value) {
    sum.x += weight * value.x;
    sum.y += weight * value.y;
    sum.z += weight * value.z;
    sum.w += weight * value.w;
}

__device__ float4 fetch(const March& march, const Stencil& at) {
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int dz = 0; dz < 2; dz++) {
        for (int dy = 0; dy < 2; dy++) {
            const int64_t row_of_cell = (int64_t(dz) * march.G + dy) * march.G;
            const float4* const row = march.field + at.node + row_of_cell;
            const float weight = (dz ? at.fz : 1.0f - at.fz) * (dy ? at.fy : 1.0f - at.fy);
            accumulate(sum, weight * (1.0f - at.fx), __ldg(row));
            accumulate(sum, weight * at.fx, __ldg(row + 1));
        }
    }
    return sum;
}

__device__ float softplus(float x) { return fmaxf(0.0f, x) + log1pf(expf(-fabsf(x))); }

// Of two equal expressions for the sigmoid the one whose exponential cannot overflow.
__device__ float sigmoid(float x) {
    const float e = expf(-fabsf(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

__global__ void forward_kernel(March march, const float* o, const float* d, const float* bg,
                               float T_min, float* rgb, float* depth, float* opacity, int* steps) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t r = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; r < march.num_rays;
         r += stride) {
        const Ray ray = load_ray(o, d, r);
        float red = 0.0f, green = 0.0f, blue = 0.0f, distance = 0.0f, T = 1.0f;
        int i = 0;
        // A threshold of 0 lets T = 0 go on.
        while (i < march.S && T >= T_min) {
            const float t = march.t_near + (float(i++) + 0.5f) * march.dt;
            Stencil at;
            if (!place(march, ray, t, at)) continue;
            const float4 raw = fetch(march, at);
            const float passed = expf(-softplus(raw.x) * march.dt);
            const float weight = T * (1.0f - passed);
            red += weight * sigmoid(raw.y);
            green += weight * sigmoid(raw.z);
            blue += weight * sigmoid(raw.w);
            distance += weight * t;
            T *= passed;
        }
        rgb[3 * r] = red + T * __ldg(bg);
        rgb[3 * r + 1] = green + T * __ldg(bg + 1);
        rgb[3 * r + 2] = blue + T * __ldg(bg + 2);
        depth[r] = distance;
        opacity[r] = 1.0f - T;
        steps[r] = i;
    }
}

__global__ void backward_kernel(March march, const float* o, const float* d, const float* grad_rgb,
                                const float* grad_depth, const float* grad_opacity,
                                const float* rgb, const float* depth, const float* opacity,
                                const int* steps, float* grad_field) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t r = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; r < march.num_rays;
         r += stride) {
        const Ray ray = load_ray(o, d, r);
        const float gr = __ldg(grad_rgb + 3 * r), gg = __ldg(grad_rgb + 3 * r + 1);
        const float gb = __ldg(grad_rgb + 3 * r + 2);
        const float gd = grad_depth ? __ldg(grad_depth + r) : 0.0f;
        const float go = grad_opacity ? __ldg(grad_opacity + r) : 0.0f;
        const float total = gr * __ldg(rgb + 3 * r) + gg * __ldg(rgb + 3 * r + 1) +
                            gb * __ldg(rgb + 3 * r + 2) + gd * __ldg(depth + r) +
                            go * (__ldg(opacity + r) - 1.0f);
        const int num_steps = __ldg(steps + r);
        float prefix = 0.0f, T = 1.0f;
        for (int i = 0; i < num_steps; i++) {
            const float t = march.t_near + (float(i) + 0.5f) * march.dt;
            Stencil at;
            if (!place(march, ray, t, at)) continue;
            const float4 raw = fetch(march, at);
            const float passed = expf(-softplus(raw.x) * march.dt);
            const float weight = T * (1.0f - passed);
            const float cr = sigmoid(raw.y), cg = sigmoid(raw.z), cb = sigmoid(raw.w);
            const float worth = gr * cr + gg * cg + gb * cb + gd * t;
            prefix += weight * worth;
            T *= passed;
            const float grad[4] = {march.dt * sigmoid(raw.x) * (T * worth - (total - prefix)),
                                   weight * gr * cr * (1.0f - cr), weight * gg * cg * (1.0f - cg),
                                   weight * gb * cb * (1.0f - cb)};
            for (int k = 0; k < 32; k++) {
                const int dx = k / 4 % 2, dy = k / 8 % 2, dz = k / 16;
                const int64_t node = at.node + (int64_t(dz) * march.G + dy) * march.G + dx;
                const float corner = (dx ? at.fx : 1.0f - at.fx) * (dy ? at.fy : 1.0f - at.fy) *
                                     (dz ? at.fz : 1.0f - at.fz);
                atomicAdd(grad_field + 4 * node + k % 4, corner * grad[k % 4]);
            }
        }
    }
}

unsigned blocks_for(int R) {
    const int wanted = (R - 1) / block_size + 1;
    return wanted < most_blocks ? wanted : most_blocks;
}

}  // namespace

extern "C" cudaError_t nerf_forward(const float* rays_o, const float* rays_d, int R,
                                    const float* field, int G, float t_near, float dt, int S,
                                    float T_min, const float* bg, float* rgb, float* depth,
                                    float* opacity, int* steps, cudaStream_t stream) {
    if (R < 0 || S < 0 || G < 2) {
        return cudaErrorInvalidValue;
    }
    if (R == 0) {
        return cudaSuccess;
    }
    const March march{reinterpret_cast<const float4*>(field), R, G, S, t_near, dt};
    forward_kernel<<<blocks_for(R), block_size, 0, stream>>>(march, rays_o, rays_d, bg, T_min, rgb,
                                                             depth, opacity, steps);
    return cudaGetLastError();
}

extern "C" cudaError_t nerf_backward(const float* grad_rgb, const float* grad_depth,
                                     const float* grad_opacity, const float* rays_o,
                                     const float* rays_d, int R, const float* field, int G,
                                     float t_near, float dt, int S, float T_min, const float* bg,
                                     const float* rgb, const float* depth, const float* opacity,
                                     const int* steps, float* grad_field, cudaStream_t stream) {
    if (R < 0 || S < 0 || G < 2) {
        return cudaErrorInvalidValue;
    }
    const size_t num_nodes = static_cast<size_t>(G) * G * G;
    cudaMemsetAsync(grad_field, 0, num_nodes * 4 * sizeof(float), stream);
    if (R == 0) {
        return cudaGetLastError();
    }
    const March march{reinterpret_cast<const float4*>(field), R, G, S, t_near, dt};
    backward_kernel<<<blocks_for(R), block_size, 0, stream>>>(march, rays_o, rays_d, grad_rgb,
                                                              grad_depth, grad_opacity, rgb, depth,
                                                              opacity, steps, grad_field);
    return cudaGetLastError();
}
