// style: transmittance as a logarithm, blocks of two dimensions, launches in a macro
#include <cuda_runtime.h>

#include <cmath>

struct Problem {
    const float3* o;
    const float3* d;
    const float4* field;
    const float* bg;
    int rays, nodes, samples;
    float t_near, dt, T_min;
};

template <class T>
struct Eight {
    T at[8];
};

// The eight corners of the cell of p, and their weights; false outside of the cube.
__device__ bool corners_of(const Problem& in, float3 p, Eight<int>& places, Eight<float>& weights) {
    if (!(fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z))) <= 1.0f)) return false;
    const int most = in.nodes - 2;
    const float edge = (in.nodes - 1) / 2.0f;
    const float u = fmaf(p.x, edge, edge), v = fmaf(p.y, edge, edge), w = fmaf(p.z, edge, edge);
    const float i = fminf(truncf(u), most), j = fminf(truncf(v), most), k = fminf(truncf(w), most);
    const int first = (int(k) * in.nodes + int(j)) * in.nodes + int(i);
    const float wx[2] = {1 - (u - i), u - i}, wy[2] = {1 - (v - j), v - j};
    const float wz[2] = {1 - (w - k), w - k};
#pragma unroll
    for (int c = 0; c < 8; c++) {
        const int x = c % 2, y = c / 2 % 2, z = c / 4;
        places.at[c] = first + (z * in.nodes + y) * in.nodes + x;
        weights.at[c] = wx[x] * wy[y] * wz[z];
    }
    return true;
}

__device__ float4 raw_of(const Problem& in, const Eight<int>& places, const Eight<float>& weights) {
    float4 raw = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int c = 0; c < 8; c++) {
        const float4 node = in.field[places.at[c]];
        raw.x = fmaf(weights.at[c], node.x, raw.x);
        raw.y = fmaf(weights.at[c], node.y, raw.y);
        raw.z = fmaf(weights.at[c], node.z, raw.z);
        raw.w = fmaf(weights.at[c], node.w, raw.w);
    }
    return raw;
}

__device__ float3 along(const Problem& in, int ray, float t) {
    const float3 o = in.o[ray], d = in.d[ray];
    return make_float3(fmaf(t, d.x, o.x), fmaf(t, d.y, o.y), fmaf(t, d.z, o.z));
}

__device__ float logistic(float x) { return 1 / (1 + expf(-x)); }
// log(1 + e^x), of which either the exponential or the number itself is small.
__device__ float softplus(float x) { return x > 0 ? x + log1pf(expf(-x)) : log1pf(expf(x)); }

__device__ int my_ray() {
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    return blockIdx.x * blockDim.x * blockDim.y + thread;
}

__global__ void render(Problem in, float3* rgb, float* depth, float* opacity, int* steps) {
    const int ray = my_ray();
    if (ray >= in.rays) return;
    float3 sum = make_float3(0, 0, 0);
    float log_T = 0, far = 0;
    const float log_T_min = in.T_min > 0 ? logf(in.T_min) : -INFINITY;
    int i = 0;
    for (bool stops = false; i < in.samples && !stops; i++) {
        const float t = in.t_near + (i + 0.5f) * in.dt;
        Eight<int> places;
        Eight<float> weights;
        if (!corners_of(in, along(in, ray, t), places, weights)) continue;
        const float4 raw = raw_of(in, places, weights);
        const float tau = softplus(raw.x) * in.dt, w = expf(log_T) * -expm1f(-tau);
        sum.x += w * logistic(raw.y);
        sum.y += w * logistic(raw.z);
        sum.z += w * logistic(raw.w);
        far += w * t;
        log_T -= tau;
        stops = log_T < log_T_min;
    }
    const float T = expf(log_T);
    rgb[ray] = make_float3(sum.x + T * in.bg[0], sum.y + T * in.bg[1], sum.z + T * in.bg[2]);
    depth[ray] = far;
    opacity[ray] = -expm1f(log_T);
    steps[ray] = i;
}

struct Answer {
    const float3* grad_rgb;
    const float *grad_depth, *grad_opacity;
    const float3* rgb;
    const float *depth, *opacity;
    const int* steps;
};

__global__ void scatter(Problem in, Answer out, float* grad_field) {
    const int ray = my_ray();
    if (ray >= in.rays) return;
    const float3 g = out.grad_rgb[ray], rgb = out.rgb[ray];
    const float g_depth = out.grad_depth ? out.grad_depth[ray] : 0;
    const float g_opacity = out.grad_opacity ? out.grad_opacity[ray] : 0;
    // The loss, but for the constant g_opacity: what has been passed is taken away from it.
    float behind = g.x * rgb.x + g.y * rgb.y + g.z * rgb.z + g_depth * out.depth[ray];
    behind += g_opacity * (out.opacity[ray] - 1);
    float log_T = 0;
    for (int i = 0; i < out.steps[ray]; i++) {
        const float t = in.t_near + (i + 0.5f) * in.dt;
        Eight<int> places;
        Eight<float> weights;
        if (!corners_of(in, along(in, ray, t), places, weights)) continue;
        const float4 raw = raw_of(in, places, weights);
        const float tau = softplus(raw.x) * in.dt, w = expf(log_T) * -expm1f(-tau);
        const float r = logistic(raw.y), green = logistic(raw.z), b = logistic(raw.w);
        const float worth = g.x * r + g.y * green + g.z * b + g_depth * t;
        log_T -= tau;
        behind -= w * worth;
        const float grad[4] = {logistic(raw.x) * in.dt * (expf(log_T) * worth - behind),
                               w * g.x * r * (1 - r), w * g.y * green * (1 - green),
                               w * g.z * b * (1 - b)};
        for (int c = 0; c < 8; c++) {
            for (int channel = 0; channel < 4; channel++) {
                atomicAdd(grad_field + 4 * places.at[c] + channel, weights.at[c] * grad[channel]);
            }
        }
    }
}

#define ON(rays) <<<((rays) + 63) / 64, dim3(16, 4), 0, stream>>>

extern "C" cudaError_t nerf_forward(const float* rays_o, const float* rays_d, int R,
                                    const float* field, int G, float t_near, float dt, int S,
                                    float T_min, const float* bg, float* rgb, float* depth,
                                    float* opacity, int* steps, cudaStream_t stream) {
    if (R < 0 || S < 0 || G < 2) return cudaErrorInvalidValue;
    if (R == 0) return cudaSuccess;
    const Problem in{(const float3*)rays_o, (const float3*)rays_d, (const float4*)field, bg, R, G,
                     S, t_near, dt, T_min};
    render ON(R)(in, (float3*)rgb, depth, opacity, steps);
    return cudaGetLastError();
}

extern "C" cudaError_t nerf_backward(const float* grad_rgb, const float* grad_depth,
                                     const float* grad_opacity, const float* rays_o,
                                     const float* rays_d, int R, const float* field, int G,
                                     float t_near, float dt, int S, float T_min, const float* bg,
                                     const float* rgb, const float* depth, const float* opacity,
                                     const int* steps, float* grad_field, cudaStream_t stream) {
    if (R < 0 || S < 0 || G < 2) return cudaErrorInvalidValue;
    cudaMemsetAsync(grad_field, 0, sizeof(float4) * G * G * G, stream);
    if (R > 0) {
        const Problem in{(const float3*)rays_o, (const float3*)rays_d, (const float4*)field, bg, R,
                         G, S, t_near, dt, T_min};
        const Answer out{(const float3*)grad_rgb, grad_depth, grad_opacity, (const float3*)rgb,
                         depth, opacity, steps};
        scatter ON(R)(in, out, grad_field);
    }
    return cudaGetLastError();
}
