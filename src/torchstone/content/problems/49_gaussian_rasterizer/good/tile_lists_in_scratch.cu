// style: a list for each tile in scratch memory; cooperative groups; as many blocks as wanted
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int tile_size = 16, batch_size = tile_size * tile_size;
// Blocks walk over the tiles, and over the Gaussians.
constexpr unsigned num_blocks = 12;

__device__ void project_one(const float* means, const float* scales, const float* quats,
                            const float* view, float fx, float fy, float cx, float cy, int n,
                            float* xy, float* depth, float* conic, float* radius) {
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

__global__ void project_kernel(const float* means, const float* scales, const float* quats,
                               const float* view, float fx, float fy, float cx, float cy, int N,
                               float* xy, float* depth, float* conic, float* radius) {
    for (int n = cg::this_grid().thread_rank(); n < N; n += cg::this_grid().size()) {
        project_one(means, scales, quats, view, fx, fy, cx, cy, n, xy, depth, conic, radius);
    }
}

// Depths wait in shared memory, some at a time, for all to count who comes before them.
__global__ void rank_kernel(const float* depth, int N, int* order) {
    __shared__ float others[256];
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    const float mine = n < N ? depth[n] : 0;
    int rank = 0;
    for (int first = 0; first < N; first += 256) {
        __syncthreads();
        if (first + threadIdx.x < N) {
            others[threadIdx.x] = depth[first + threadIdx.x];
        }
        __syncthreads();
        const int count = N - first < 256 ? N - first : 256;
        for (int i = 0; i < count; i++) {
            rank += others[i] < mine || (others[i] == mine && first + i < n);
        }
    }
    if (n < N) {
        order[rank] = n;
    }
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

struct Tiles {
    int across, total;
    int *lists, *lengths;  // of each tile: positions in the order, at most N, and how many
};

static cudaError_t allocate(Tiles* tiles, int N, int W, int H, cudaStream_t stream) {
    tiles->across = (W + tile_size - 1) / tile_size;
    tiles->total = tiles->across * ((H + tile_size - 1) / tile_size);
    const size_t num_ints = static_cast<size_t>(tiles->total) * (N + 1);
    const cudaError_t status = cudaMallocAsync(&tiles->lists, num_ints * sizeof(int), stream);
    tiles->lengths = tiles->lists + static_cast<size_t>(tiles->total) * N;
    return status;
}

// A warp for each tile: 32 Gaussians at a time, those that touch it behind those found before.
__global__ void list_kernel(const float* xy, const float* radius, const int* order, int N,
                            Tiles tiles) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int num_warps = gridDim.x * warp.meta_group_size();
    for (int tile = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
         tile < tiles.total; tile += num_warps) {
        const float left = tile % tiles.across * tile_size, top = tile / tiles.across * tile_size;
        int* const list = tiles.lists + static_cast<size_t>(tile) * N;
        int length = 0;
        for (int first = 0; first < N; first += 32) {
            const int position = first + warp.thread_rank();
            bool touches = false;
            if (position < N) {
                const int n = order[position];
                const float x = xy[2 * n], y = xy[2 * n + 1], r = radius[n];
                // A pixel more on each side: who is listed too often is skipped later.
                touches = r > 0 && x + r >= left - 1 && x - r <= left + tile_size + 1 &&
                          y + r >= top - 1 && y - r <= top + tile_size + 1;
            }
            const unsigned found = warp.ballot(touches);
            if (touches) {
                list[length + __popc(found & ((1u << warp.thread_rank()) - 1))] = position;
            }
            length += __popc(found);
        }
        if (warp.thread_rank() == 0) {
            tiles.lengths[tile] = length;
        }
    }
}

__global__ void forward_kernel(const float* xy, const float* conic, const float* radius,
                               const float* opacity, const float* color, const float* bg,
                               const int* order, int N, int W, int H, Tiles tiles, float* image,
                               float* final_T, int* n_last) {
    __shared__ float4 places[batch_size], conics[batch_size], colors[batch_size];
    __shared__ int positions[batch_size];
    const int thread = threadIdx.x;
    for (int tile = blockIdx.x; tile < tiles.total; tile += gridDim.x) {
        const int x = tile % tiles.across * tile_size + thread % tile_size;
        const int y = tile / tiles.across * tile_size + thread / tile_size;
        const int length = N > 0 ? tiles.lengths[tile] : 0;
        const bool is_inside = x < W && y < H;
        bool is_done = !is_inside;
        float T = 1, red = 0, green = 0, blue = 0;
        int last = 0;
        for (int first = 0; first < length; first += batch_size) {
            if (__syncthreads_and(is_done)) {
                break;
            }
            if (first + thread < length) {
                const int position = tiles.lists[static_cast<size_t>(tile) * N + first + thread];
                const int n = order[position];
                places[thread] = make_float4(xy[2 * n], xy[2 * n + 1], radius[n], opacity[n]);
                conics[thread] = make_float4(conic[3 * n], conic[3 * n + 1], conic[3 * n + 2], 0);
                colors[thread] = make_float4(color[3 * n], color[3 * n + 1], color[3 * n + 2], 0);
                positions[thread] = position;
            }
            __syncthreads();
            for (int i = 0; i < batch_size && first + i < length && !is_done; i++) {
                const float alpha = look(places[i], conics[i], x, y).alpha;
                const float T_behind = T * (1 - alpha);
                if (alpha > 0 && T_behind < 1e-4f) {
                    is_done = true;
                } else if (alpha > 0) {
                    red = fmaf(alpha * T, colors[i].x, red);
                    green = fmaf(alpha * T, colors[i].y, green);
                    blue = fmaf(alpha * T, colors[i].z, blue);
                    T = T_behind;
                    last = positions[i] + 1;
                }
            }
        }
        if (is_inside) {
            const long long at = static_cast<long long>(y) * W + x;
            image[3 * at] = fmaf(T, bg[0], red);
            image[3 * at + 1] = fmaf(T, bg[1], green);
            image[3 * at + 2] = fmaf(T, bg[2], blue);
            final_T[at] = T;
            n_last[at] = last;
        }
        __syncthreads();
    }
}

__global__ void backward_kernel(const float* grad_image, const float* xy, const float* conic,
                                const float* radius, const float* opacity, const float* color,
                                const float* bg, const int* order, const float* final_T,
                                const int* n_last, int N, int W, int H, Tiles tiles,
                                float* grad_xy, float* grad_conic, float* grad_opacity,
                                float* grad_color) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int tile = blockIdx.x; tile < tiles.total; tile += gridDim.x) {
        const int x = tile % tiles.across * tile_size + threadIdx.x % tile_size;
        const int y = tile / tiles.across * tile_size + threadIdx.x / tile_size;
        const bool is_inside = x < W && y < H;
        const int at = is_inside ? y * W + x : 0, last = is_inside ? n_last[at] : 0;
        const float gr = is_inside ? grad_image[3 * at] : 0;
        const float gg = is_inside ? grad_image[3 * at + 1] : 0;
        const float gb = is_inside ? grad_image[3 * at + 2] : 0;
        float T = is_inside ? final_T[at] : 0;
        float behind = T * (gr * bg[0] + gg * bg[1] + gb * bg[2]);
        const int* const list = tiles.lists + static_cast<size_t>(tile) * N;
        for (int i = tiles.lengths[tile] - 1; i >= 0; i--) {
            const int position = list[i], n = order[position];
            const float A = conic[3 * n], B = conic[3 * n + 1], C = conic[3 * n + 2];
            const float4 place = make_float4(xy[2 * n], xy[2 * n + 1], radius[n], opacity[n]);
            const Splat splat = look(place, make_float4(A, B, C, 0), x, y);
            const bool counts = position < last && splat.alpha > 0;
            if (!warp.any(counts)) {
                continue;
            }
            const float through = 1 - splat.alpha;
            T = counts ? T / through : T;
            const float weight = counts ? splat.alpha * T : 0;
            const float dot = gr * color[3 * n] + gg * color[3 * n + 1] + gb * color[3 * n + 2];
            const float grad_alpha =
                counts && !splat.is_clamped ? dot * T - behind / through : 0;
            behind += weight * dot;
            const float power = splat.alpha * grad_alpha, dx = splat.dx, dy = splat.dy;
            const auto add = [&](float* sum, float term) {
                const float of_warp = cg::reduce(warp, term, cg::plus<float>());
                if (warp.thread_rank() == 0) {
                    atomicAdd(sum, of_warp);
                }
            };
            add(&grad_color[3 * n], weight * gr);
            add(&grad_color[3 * n + 1], weight * gg);
            add(&grad_color[3 * n + 2], weight * gb);
            add(&grad_opacity[n], splat.falloff * grad_alpha);
            add(&grad_xy[2 * n], -power * (A * dx + B * dy));
            add(&grad_xy[2 * n + 1], -power * (B * dx + C * dy));
            add(&grad_conic[3 * n], -0.5f * power * dx * dx);
            add(&grad_conic[3 * n + 1], -power * dx * dy);
            add(&grad_conic[3 * n + 2], -0.5f * power * dy * dy);
        }
    }
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
    project_kernel<<<num_blocks, 96, 0, stream>>>(means, scales, quats, view, fx, fy, cx, cy, N, xy,
                                                  depth, conic, radius);
    return cudaGetLastError();
}

extern "C" cudaError_t gs_forward(const float* xy, const float* depth, const float* conic,
                                  const float* radius, const float* opacity, const float* color,
                                  const float* bg, int N, int W, int H, float* image,
                                  float* final_T, int* n_last, int* order, cudaStream_t stream) {
    if (N < 0 || W < 1 || H < 1) {
        return cudaErrorInvalidValue;
    }
    Tiles tiles;
    const cudaError_t status = allocate(&tiles, N, W, H, stream);
    if (status != cudaSuccess) {
        return status;
    }
    if (N > 0) {
        rank_kernel<<<(N + 255) / 256, 256, 0, stream>>>(depth, N, order);
        list_kernel<<<num_blocks, 64, 0, stream>>>(xy, radius, order, N, tiles);
    }
    forward_kernel<<<num_blocks, batch_size, 0, stream>>>(xy, conic, radius, opacity, color, bg,
                                                          order, N, W, H, tiles, image, final_T,
                                                          n_last);
    cudaFreeAsync(tiles.lists, stream);
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
    Tiles tiles;
    const cudaError_t status = allocate(&tiles, N, W, H, stream);
    if (status != cudaSuccess) {
        return status;
    }
    list_kernel<<<num_blocks, 64, 0, stream>>>(xy, radius, order, N, tiles);
    backward_kernel<<<num_blocks, batch_size, 0, stream>>>(
        grad_image, xy, conic, radius, opacity, color, bg, order, final_T, n_last, N, W, H, tiles,
        grad_xy, grad_conic, grad_opacity, grad_color);
    cudaFreeAsync(tiles.lists, stream);
    return cudaGetLastError();
}
