// verdict: WA value
// group: ties
// en: As unsigned bits negative floats lie above all others and run backwards; flip them.
// zh: 按无符号位比较，负数比正数大，而且次序是反的；要先翻转。
#include <cuda_runtime.h>

constexpr int tile_size = 16, batch_size = tile_size * tile_size;

static unsigned num_blocks_for(int count) { return (count + 255) / 256; }

__global__ void project_kernel(const float* means, const float* scales, const float* quats,
                               const float* view, float fx, float fy, float cx, float cy, int N,
                               float* xy, float* depth, float* conic, float* radius) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= N) {
        return;
    }
    const float* m = means + 3 * n;
    const float* s = scales + 3 * n;
    const float* q = quats + 4 * n;
    const float* v = view;
    const float px = v[0] * m[0] + v[1] * m[1] + v[2] * m[2] + v[3];
    const float py = v[4] * m[0] + v[5] * m[1] + v[6] * m[2] + v[7];
    const float z = v[8] * m[0] + v[9] * m[1] + v[10] * m[2] + v[11];
    depth[n] = z;
    xy[2 * n] = xy[2 * n + 1] = 0.0f;
    conic[3 * n] = conic[3 * n + 1] = conic[3 * n + 2] = 0.0f;
    radius[n] = 0.0f;
    if (!(z > 0.2f)) {
        return;
    }
    const float norm = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const float qw = q[0] / norm, qx = q[1] / norm, qy = q[2] / norm, qz = q[3] / norm;
    const float rotation[3][3] = {
        {1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy - qw * qz), 2 * (qx * qz + qw * qy)},
        {2 * (qx * qy + qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz - qw * qx)},
        {2 * (qx * qz - qw * qy), 2 * (qy * qz + qw * qx), 1 - 2 * (qx * qx + qy * qy)}};
    const float jacobian[2][3] = {{fx / z, 0, -fx * px / (z * z)}, {0, fy / z, -fy * py / (z * z)}};
    float M[2][3];
    for (int i = 0; i < 2; i++) {
        float turned[3];
        for (int k = 0; k < 3; k++) {
            turned[k] = jacobian[i][0] * v[k] + jacobian[i][1] * v[4 + k] +
                        jacobian[i][2] * v[8 + k];
        }
        for (int j = 0; j < 3; j++) {
            M[i][j] = s[j] * (turned[0] * rotation[0][j] + turned[1] * rotation[1][j] +
                              turned[2] * rotation[2][j]);
        }
    }
    const float a = M[0][0] * M[0][0] + M[0][1] * M[0][1] + M[0][2] * M[0][2] + 0.3f;
    const float b = M[0][0] * M[1][0] + M[0][1] * M[1][1] + M[0][2] * M[1][2];
    const float c = M[1][0] * M[1][0] + M[1][1] * M[1][1] + M[1][2] * M[1][2] + 0.3f;
    const float det = a * c - b * b;
    if (!(det > 0.0f)) {
        return;
    }
    const float mean = 0.5f * (a + c);
    xy[2 * n] = fx * px / z + cx;
    xy[2 * n + 1] = fy * py / z + cy;
    conic[3 * n] = c / det;
    conic[3 * n + 1] = -b / det;
    conic[3 * n + 2] = a / det;
    radius[n] = ceilf(3.0f * sqrtf(mean + sqrtf(fmaxf(0.1f, mean * mean - det))));
}

// A Gaussian's place is the number of those that come before it.
__global__ void rank_kernel(const float* depth, int N, int* order) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= N) {
        return;
    }
    const unsigned mine = __float_as_uint(depth[n]);
    int rank = 0;
    for (int i = 0; i < N; i++) {
        const unsigned other = __float_as_uint(depth[i]);
        rank += other < mine || (other == mine && i < n);
    }
    order[rank] = n;
}

// What a Gaussian is to a pixel; alpha is 0 where it is skipped.
struct Splat {
    float dx, dy, falloff, alpha;
    bool is_clamped;
};

// A place is x, y, radius, opacity; a conic A, B, C, which is loaded only inside of the square.
__device__ Splat look(const float4& place_at, const float4& conic_at, int x, int y) {
    const float4 place = place_at;
    Splat splat = {place.x - (x + 0.5f), place.y - (y + 0.5f), 0, 0, false};
    const float dx = splat.dx, dy = splat.dy;
    if (place.z <= 0 || fabsf(dx) > place.z || fabsf(dy) > place.z) {
        return splat;
    }
    const float4 conic = conic_at;
    const float power = -0.5f * (conic.x * dx * dx + conic.z * dy * dy) - conic.y * dx * dy;
    if (power > 0) {
        return splat;
    }
    splat.falloff = expf(power);
    const float raw = place.w * splat.falloff;
    splat.is_clamped = raw > 0.99f;
    const float alpha = fminf(0.99f, raw);
    splat.alpha = alpha < 1.0f / 255.0f ? 0 : alpha;
    return splat;
}

__global__ void forward_kernel(const float* xy, const float* conic, const float* radius,
                               const float* opacity, const float* color, const float* bg,
                               const int* order, int N, int W, int H, float* image, float* final_T,
                               int* n_last) {
    __shared__ float4 places[batch_size], conics[batch_size], colors[batch_size];
    const int x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
    const int thread = threadIdx.y * tile_size + threadIdx.x;
    const bool is_inside = x < W && y < H;
    bool is_done = !is_inside;
    float T = 1, red = 0, green = 0, blue = 0;
    int last = 0;
    for (int first = 0; first < N; first += batch_size) {
        // Nobody may leave alone, and nobody overwrites a batch that is still being read.
        if (__syncthreads_count(is_done) == batch_size) {
            break;
        }
        if (first + thread < N) {
            const int n = order[first + thread];
            places[thread] = make_float4(xy[2 * n], xy[2 * n + 1], radius[n], opacity[n]);
            conics[thread] = make_float4(conic[3 * n], conic[3 * n + 1], conic[3 * n + 2], 0);
            colors[thread] = make_float4(color[3 * n], color[3 * n + 1], color[3 * n + 2], 0);
        }
        __syncthreads();
        const int count = N - first < batch_size ? N - first : batch_size;
        for (int i = 0; i < count && !is_done; i++) {
            const Splat splat = look(places[i], conics[i], x, y);
            if (splat.alpha == 0) {
                continue;
            }
            const float T_behind = T * (1 - splat.alpha);
            if (T_behind < 1e-4f) {
                is_done = true;
                break;
            }
            const float weight = splat.alpha * T;
            red += weight * colors[i].x;
            green += weight * colors[i].y;
            blue += weight * colors[i].z;
            T = T_behind;
            last = first + i + 1;
        }
    }
    if (is_inside) {
        const int at = y * W + x;
        image[3 * at] = red + T * bg[0];
        image[3 * at + 1] = green + T * bg[1];
        image[3 * at + 2] = blue + T * bg[2];
        final_T[at] = T;
        n_last[at] = last;
    }
}

__global__ void backward_kernel(const float* grad_image, const float* xy, const float* conic,
                                const float* radius, const float* opacity, const float* color,
                                const float* bg, const int* order, const float* final_T,
                                const int* n_last, int N, int W, int H, float* grad_xy,
                                float* grad_conic, float* grad_opacity, float* grad_color) {
    const int x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
    if (x >= W || y >= H) {
        return;
    }
    const int at = y * W + x;
    const float gr = grad_image[3 * at], gg = grad_image[3 * at + 1], gb = grad_image[3 * at + 2];
    float T = final_T[at];
    // What is seen behind, times the gradient: at first the background.
    float behind = T * (gr * bg[0] + gg * bg[1] + gb * bg[2]);
    for (int i = n_last[at] - 1; i >= 0; i--) {
        const int n = order[i];
        const float A = conic[3 * n], B = conic[3 * n + 1], C = conic[3 * n + 2];
        const float4 place = make_float4(xy[2 * n], xy[2 * n + 1], radius[n], opacity[n]);
        const Splat splat = look(place, make_float4(A, B, C, 0), x, y);
        const float alpha = splat.alpha, dx = splat.dx, dy = splat.dy;
        if (alpha == 0) {
            continue;
        }
        T /= 1 - alpha;
        const float weight = alpha * T;
        atomicAdd(&grad_color[3 * n], weight * gr);
        atomicAdd(&grad_color[3 * n + 1], weight * gg);
        atomicAdd(&grad_color[3 * n + 2], weight * gb);
        const float dot = gr * color[3 * n] + gg * color[3 * n + 1] + gb * color[3 * n + 2];
        const float grad_alpha = dot * T - behind / (1 - alpha);
        behind += weight * dot;
        if (splat.is_clamped) {
            continue;
        }
        const float grad_power = alpha * grad_alpha;
        atomicAdd(&grad_opacity[n], splat.falloff * grad_alpha);
        atomicAdd(&grad_xy[2 * n], -grad_power * (A * dx + B * dy));
        atomicAdd(&grad_xy[2 * n + 1], -grad_power * (B * dx + C * dy));
        atomicAdd(&grad_conic[3 * n], -0.5f * grad_power * dx * dx);
        atomicAdd(&grad_conic[3 * n + 1], -grad_power * dx * dy);
        atomicAdd(&grad_conic[3 * n + 2], -0.5f * grad_power * dy * dy);
    }
}

static dim3 grid_for(int W, int H) {
    return dim3((W + tile_size - 1) / tile_size, (H + tile_size - 1) / tile_size);
}

extern "C" cudaError_t gs_project(const float* means, const float* scales, const float* quats,
                                  const float* view, float fx, float fy, float cx, float cy, int N,
                                  float* xy, float* depth, float* conic, float* radius,
                                  cudaStream_t stream) {
    if (N < 0) {
        return cudaErrorInvalidValue;
    }
    if (N == 0) {
        return cudaSuccess;
    }
    project_kernel<<<num_blocks_for(N), 256, 0, stream>>>(means, scales, quats, view, fx, fy, cx,
                                                          cy, N, xy, depth, conic, radius);
    return cudaGetLastError();
}

extern "C" cudaError_t gs_forward(const float* xy, const float* depth, const float* conic,
                                  const float* radius, const float* opacity, const float* color,
                                  const float* bg, int N, int W, int H, float* image,
                                  float* final_T, int* n_last, int* order, cudaStream_t stream) {
    if (N < 0 || W < 1 || H < 1) {
        return cudaErrorInvalidValue;
    }
    if (N > 0) {
        rank_kernel<<<num_blocks_for(N), 256, 0, stream>>>(depth, N, order);
    }
    const dim3 block(tile_size, tile_size);
    forward_kernel<<<grid_for(W, H), block, 0, stream>>>(xy, conic, radius, opacity, color, bg,
                                                         order, N, W, H, image, final_T, n_last);
    return cudaGetLastError();
}

extern "C" cudaError_t gs_backward(const float* grad_image, const float* xy, const float* conic,
                                   const float* radius, const float* opacity, const float* color,
                                   const float* bg, const int* order, const float* final_T,
                                   const int* n_last, int N, int W, int H, float* grad_xy,
                                   float* grad_conic, float* grad_opacity, float* grad_color,
                                   cudaStream_t stream) {
    if (N < 0 || W < 1 || H < 1) {
        return cudaErrorInvalidValue;
    }
    if (N == 0) {
        return cudaSuccess;
    }
    const size_t size = N * sizeof(float);
    cudaMemsetAsync(grad_xy, 0, 2 * size, stream);
    cudaMemsetAsync(grad_conic, 0, 3 * size, stream);
    cudaMemsetAsync(grad_opacity, 0, size, stream);
    cudaMemsetAsync(grad_color, 0, 3 * size, stream);
    const dim3 block(tile_size, tile_size);
    backward_kernel<<<grid_for(W, H), block, 0, stream>>>(
        grad_image, xy, conic, radius, opacity, color, bg, order, final_T, n_last, N, W, H, grad_xy,
        grad_conic, grad_opacity, grad_color);
    return cudaGetLastError();
}
