// style: sixteen lanes of a cooperative group share a ray, and scan by its shuffles
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

namespace {

constexpr int lanes = 16, threads = 192;
using Tile = cg::thread_block_tile<lanes>;

struct Volume {
    const float4* node;
    int G, S;
    float t_near, dt;
};

struct Sample {
    bool counts;
    int first;
    float f[3], t, tau, slope, colour[3];
};

__device__ float softplus(float x) { return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x))); }
__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// Corner by corner: which node, and how much of it.
template <class F>
__device__ void each_corner(const Volume& volume, const Sample& at, F visit) {
    for (int corner = 0; corner < 8; corner++) {
        const int bit[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        float weight = 1.0f;
        for (int axis = 0; axis < 3; axis++) {
            weight *= bit[axis] ? at.f[axis] : 1.0f - at.f[axis];
        }
        visit(at.first + (bit[2] * volume.G + bit[1]) * volume.G + bit[0], weight);
    }
}

__device__ Sample look(const Volume& volume, const float* o, const float* d, int i, int end) {
    Sample at = {};
    at.t = volume.t_near + (static_cast<float>(i) + 0.5f) * volume.dt;
    at.counts = i < end;
    int cell[3];
    for (int axis = 0; axis < 3; axis++) {
        const float p = o[axis] + at.t * d[axis];
        at.counts = at.counts && fabsf(p) <= 1.0f;
        const float u = 0.5f * (p + 1.0f) * static_cast<float>(volume.G - 1);
        cell[axis] = at.counts ? min(static_cast<int>(u), volume.G - 2) : 0;
        at.f[axis] = u - static_cast<float>(cell[axis]);
    }
    if (!at.counts) {
        return at;
    }
    at.first = (cell[2] * volume.G + cell[1]) * volume.G + cell[0];
    float raw[4] = {};
    each_corner(volume, at, [&](int node, float weight) {
        const float4 value = volume.node[node];
        raw[0] += weight * value.x;
        raw[1] += weight * value.y;
        raw[2] += weight * value.z;
        raw[3] += weight * value.w;
    });
    at.tau = softplus(raw[0]) * volume.dt;
    at.slope = sigmoid(raw[0]);
    for (int c = 0; c < 3; c++) {
        at.colour[c] = sigmoid(raw[1 + c]);
    }
    return at;
}

__device__ float scanned(const Tile& tile, float value) {
    for (unsigned delta = 1; delta < lanes; delta *= 2) {
        const float before = tile.shfl_up(value, delta);
        value += tile.thread_rank() >= delta ? before : 0.0f;
    }
    return value;
}

__device__ float previous(const Tile& tile, float value, float first) {
    const float before = tile.shfl_up(value, 1);
    return tile.thread_rank() > 0 ? before : first;
}

__global__ void forward_kernel(Volume volume, const float* o, const float* d, int R, float T_min,
                               const float* bg, float* rgb, float* depth, float* opacity,
                               int* steps) {
    const Tile tile = cg::tiled_partition<lanes>(cg::this_thread_block());
    const long long ray = blockIdx.x * static_cast<long long>(threads / lanes) +
                          tile.meta_group_rank();
    if (ray >= R) {
        return;
    }
    const int lane = static_cast<int>(tile.thread_rank());
    float sums[4] = {}, optical = 0.0f, T = 1.0f;
    int looked_at = volume.S;
    for (int first = 0; first < volume.S; first += lanes) {
        const Sample at = look(volume, o + 3 * ray, d + 3 * ray, first + lane, volume.S);
        const float total = scanned(tile, at.tau);
        const float before = optical + previous(tile, total, 0.0f);
        const float behind = expf(-(optical + total));
        const unsigned stops = tile.ballot(behind < T_min);
        const int last = stops ? __ffs(stops) - 1 : lanes - 1;
        if (lane <= last) {
            const float weight = expf(-before) * -expm1f(-at.tau);
            for (int c = 0; c < 3; c++) {
                sums[c] += weight * at.colour[c];
            }
            sums[3] += weight * at.t;
        }
        T = tile.shfl(behind, last);
        if (stops) {
            looked_at = first + last + 1;
            break;
        }
        optical += tile.shfl(total, lanes - 1);
    }
    for (int c = 0; c < 4; c++) {
        sums[c] = cg::reduce(tile, sums[c], cg::plus<float>());
    }
    if (lane < 3) {
        rgb[3 * ray + lane] = (lane == 0 ? sums[0] : lane == 1 ? sums[1] : sums[2]) + T * bg[lane];
    } else if (lane == 3) {
        depth[ray] = sums[3];
        opacity[ray] = 1.0f - T;
        steps[ray] = looked_at;
    }
}

struct Saved {
    const float *grad_rgb, *grad_depth, *grad_opacity, *rgb, *depth, *opacity;
    const int* steps;
};

__global__ void backward_kernel(Volume volume, const float* o, const float* d, int R, Saved saved,
                                float* grad_field) {
    const Tile tile = cg::tiled_partition<lanes>(cg::this_thread_block());
    const long long ray = blockIdx.x * static_cast<long long>(threads / lanes) +
                          tile.meta_group_rank();
    if (ray >= R) {
        return;
    }
    const float* const g = saved.grad_rgb + 3 * ray;
    const float g_depth = saved.grad_depth ? saved.grad_depth[ray] : 0.0f;
    const float g_opacity = saved.grad_opacity ? saved.grad_opacity[ray] : 0.0f;
    float rest = g_depth * saved.depth[ray] - g_opacity * (1.0f - saved.opacity[ray]);
    for (int c = 0; c < 3; c++) {
        rest += g[c] * saved.rgb[3 * ray + c];
    }
    const int end = saved.steps[ray], lane = static_cast<int>(tile.thread_rank());
    float optical = 0.0f;
    for (int first = 0; first < end; first += lanes) {
        const Sample at = look(volume, o + 3 * ray, d + 3 * ray, first + lane, end);
        const float total = scanned(tile, at.tau);
        const float before = optical + previous(tile, total, 0.0f);
        const float weight = expf(-before) * -expm1f(-at.tau);
        float worth = g_depth * at.t;
        for (int c = 0; c < 3; c++) {
            worth += g[c] * at.colour[c];
        }
        const float passed = scanned(tile, weight * worth);
        if (at.counts) {
            const float T = expf(-(optical + total));
            float grad[4] = {at.slope * volume.dt * (T * worth - (rest - passed))};
            for (int c = 0; c < 3; c++) {
                grad[1 + c] = weight * at.colour[c] * (1.0f - at.colour[c]) * g[c];
            }
            each_corner(volume, at, [&](int node, float share) {
                for (int c = 0; c < 4; c++) {
                    atomicAdd(&grad_field[4LL * node + c], share * grad[c]);
                }
            });
        }
        optical += tile.shfl(total, lanes - 1);
        rest -= tile.shfl(passed, lanes - 1);
    }
}

unsigned blocks_for(int R) { return (R - 1) / (threads / lanes) + 1; }

}  // namespace

extern "C" cudaError_t nerf_forward(const float* rays_o, const float* rays_d, int R,
                                    const float* field, int G, float t_near, float dt, int S,
                                    float T_min, const float* bg, float* rgb, float* depth,
                                    float* opacity, int* steps, cudaStream_t stream) {
    if (R < 0 || S < 0 || G < 2) {
        return cudaErrorInvalidValue;
    }
    if (R > 0) {
        const Volume volume{reinterpret_cast<const float4*>(field), G, S, t_near, dt};
        forward_kernel<<<blocks_for(R), threads, 0, stream>>>(volume, rays_o, rays_d, R, T_min, bg,
                                                              rgb, depth, opacity, steps);
    }
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
    cudaMemsetAsync(grad_field, 0, sizeof(float4) * G * G * G, stream);
    if (R > 0) {
        const Volume volume{reinterpret_cast<const float4*>(field), G, S, t_near, dt};
        const Saved saved{grad_rgb, grad_depth, grad_opacity, rgb, depth, opacity, steps};
        backward_kernel<<<blocks_for(R), threads, 0, stream>>>(volume, rays_o, rays_d, R, saved,
                                                               grad_field);
    }
    return cudaGetLastError();
}
