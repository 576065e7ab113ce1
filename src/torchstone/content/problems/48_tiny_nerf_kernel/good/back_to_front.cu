// style: the backward goes back to front; optical depth is subtracted, T never divided
#include <cuda_runtime.h>

namespace {

constexpr int num_threads = 128;

struct Scene {
    const float *rays_o, *rays_d, *field, *bg;
    int R, G, S;
    float t_near, dt, T_min;
};

// Of which cell a sample is, and how far it lies from the lowest of its nodes.
struct Cell {
    int x, y, z;
    float fx, fy, fz;
};

struct Sample {
    bool is_inside;
    Cell cell;
    float t, raw[4];
};

__device__ float softplus(float x) { return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x))); }
__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
__device__ float density_of(const Sample& sample) { return softplus(sample.raw[0]); }
__device__ float colour_of(const Sample& sample, int c) { return sigmoid(sample.raw[1 + c]); }

__device__ Cell cell_of(const float* p, int G) {
    float u[3];
    int lowest[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = (p[axis] + 1.0f) * 0.5f * (G - 1);
        lowest[axis] = min(static_cast<int>(floorf(u[axis])), G - 2);
    }
    return {lowest[0], lowest[1], lowest[2],
            u[0] - lowest[0], u[1] - lowest[1], u[2] - lowest[2]};
}

__device__ long long node_of(const Cell& cell, int corner, int G) {
    const int x = cell.x + (corner & 1), y = cell.y + (corner >> 1 & 1), z = cell.z + (corner >> 2);
    return (static_cast<long long>(z) * G + y) * G + x;
}

__device__ float weight_of(const Cell& cell, int corner) {
    return (corner & 1 ? cell.fx : 1.0f - cell.fx) * (corner & 2 ? cell.fy : 1.0f - cell.fy) *
           (corner & 4 ? cell.fz : 1.0f - cell.fz);
}

__device__ Sample look(const Scene& scene, long long ray, int i) {
    Sample sample{};
    sample.t = scene.t_near + (i + 0.5f) * scene.dt;
    float p[3];
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = scene.rays_o[3 * ray + axis] + sample.t * scene.rays_d[3 * ray + axis];
        if (fabsf(p[axis]) > 1.0f) {
            return sample;
        }
    }
    sample.is_inside = true;
    sample.cell = cell_of(p, scene.G);
    for (int corner = 0; corner < 8; corner++) {
        const long long node = node_of(sample.cell, corner, scene.G);
        const float weight = weight_of(sample.cell, corner);
        for (int c = 0; c < 4; c++) {
            sample.raw[c] += weight * scene.field[4 * node + c];
        }
    }
    return sample;
}

__global__ void forward_kernel(Scene scene, float* rgb, float* depth, float* opacity, int* steps) {
    const long long ray = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (ray >= scene.R) {
        return;
    }
    float colour[3] = {0.0f, 0.0f, 0.0f}, distance = 0.0f, T = 1.0f;
    int looked_at = 0;
    while (looked_at < scene.S) {
        const Sample sample = look(scene, ray, looked_at);
        looked_at++;
        if (!sample.is_inside) {
            continue;
        }
        const float tau = density_of(sample) * scene.dt;
        const float weight = T * -expm1f(-tau);
        for (int c = 0; c < 3; c++) {
            colour[c] += weight * colour_of(sample, c);
        }
        distance += weight * sample.t;
        T *= expf(-tau);
        if (T < scene.T_min) {
            break;
        }
    }
    for (int c = 0; c < 3; c++) {
        rgb[3 * ray + c] = colour[c] + T * scene.bg[c];
    }
    depth[ray] = distance;
    opacity[ray] = 1.0f - T;
    steps[ray] = looked_at;
}

struct Given {
    const float *grad_rgb, *grad_depth, *grad_opacity;
    const int* steps;
};

__device__ void add_to_lattice(float* grad_field, const Scene& scene, const Sample& sample,
                               const float* grad_raw) {
    for (int corner = 0; corner < 8; corner++) {
        float* const node = grad_field + 4 * node_of(sample.cell, corner, scene.G);
        for (int c = 0; c < 4; c++) {
            atomicAdd(&node[c], weight_of(sample.cell, corner) * grad_raw[c]);
        }
    }
}

// What a sample adds to the loss for each unit of its weight.
__device__ float worth_of(const Sample& sample, const float* grad_rgb, float grad_depth) {
    float worth = grad_depth * sample.t;
    for (int c = 0; c < 3; c++) {
        worth += grad_rgb[c] * colour_of(sample, c);
    }
    return worth;
}

__global__ void backward_kernel(Scene scene, Given given, float* grad_field) {
    const long long ray = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (ray >= scene.R) {
        return;
    }
    const float grad_depth = given.grad_depth ? given.grad_depth[ray] : 0.0f;
    const float grad_opacity = given.grad_opacity ? given.grad_opacity[ray] : 0.0f;
    const float* const grad_rgb = given.grad_rgb + 3 * ray;
    // Its optical depth is where the march ends; from there it is taken back, sample by sample.
    double optical = 0.0;
    for (int i = 0; i < given.steps[ray]; i++) {
        const Sample sample = look(scene, ray, i);
        optical += sample.is_inside ? static_cast<double>(density_of(sample)) * scene.dt : 0.0;
    }
    // What lies behind the sample at hand: at first the background alone.
    float last = -grad_opacity;
    for (int c = 0; c < 3; c++) {
        last += grad_rgb[c] * scene.bg[c];
    }
    float behind = expf(static_cast<float>(-optical)) * last;
    for (int i = given.steps[ray] - 1; i >= 0; i--) {
        const Sample sample = look(scene, ray, i);
        if (!sample.is_inside) {
            continue;
        }
        const float T_behind = expf(static_cast<float>(-optical));
        const double tau = static_cast<double>(density_of(sample)) * scene.dt;
        optical -= tau;
        const float weight = static_cast<float>(exp(-optical) * -expm1(-tau));
        const float worth = worth_of(sample, grad_rgb, grad_depth);
        float grad_raw[4];
        grad_raw[0] = sigmoid(sample.raw[0]) * scene.dt * (T_behind * worth - behind);
        behind += weight * worth;
        for (int c = 0; c < 3; c++) {
            const float colour = colour_of(sample, c);
            grad_raw[1 + c] = weight * grad_rgb[c] * colour * (1.0f - colour);
        }
        add_to_lattice(grad_field, scene, sample, grad_raw);
    }
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
    const Scene scene{rays_o, rays_d, field, bg, R, G, S, t_near, dt, T_min};
    const unsigned num_blocks = (R - 1) / num_threads + 1;
    forward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, rgb, depth, opacity, steps);
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
    cudaMemsetAsync(grad_field, 0, 4 * sizeof(float) * G * G * G, stream);
    if (R == 0) {
        return cudaGetLastError();
    }
    const Scene scene{rays_o, rays_d, field, bg, R, G, S, t_near, dt, T_min};
    const Given given{grad_rgb, grad_depth, grad_opacity, steps};
    const unsigned num_blocks = (R - 1) / num_threads + 1;
    backward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, given, grad_field);
    return cudaGetLastError();
}
