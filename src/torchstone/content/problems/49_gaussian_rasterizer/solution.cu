#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int tile_size = 16;
constexpr int num_threads = tile_size * tile_size;
constexpr int warp_size = 32;
constexpr int num_warps = num_threads / warp_size;
constexpr unsigned full_warp = 0xffffffffu;

constexpr float near_plane = 0.2f, low_pass = 0.3f;
constexpr float most_alpha = 0.99f, least_alpha = 1.0f / 255.0f, least_T = 1e-4f;

unsigned num_blocks_for(int count) {
    return static_cast<unsigned>((count - 1) / num_threads + 1);
}

__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- Projection: a thread for each Gaussian

struct Camera {
    const float* view;
    float fx, fy, cx, cy;
};

__device__ void rotation_of(const float* quat, float (&R)[3][3]) {
    const float norm = sqrtf(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] +
                             quat[3] * quat[3]);
    const float w = quat[0] / norm, x = quat[1] / norm, y = quat[2] / norm, z = quat[3] / norm;
    R[0][0] = 1 - 2 * (y * y + z * z);
    R[0][1] = 2 * (x * y - w * z);
    R[0][2] = 2 * (x * z + w * y);
    R[1][0] = 2 * (x * y + w * z);
    R[1][1] = 1 - 2 * (x * x + z * z);
    R[1][2] = 2 * (y * z - w * x);
    R[2][0] = 2 * (x * z - w * y);
    R[2][1] = 2 * (y * z + w * x);
    R[2][2] = 1 - 2 * (x * x + y * y);
}

__global__ void project_kernel(const float* means, const float* scales, const float* quats,
                               Camera camera, int N, float* xy, float* depth, float* conic,
                               float* radius) {
    const int n = global_index();
    if (n >= N) {
        return;
    }
    const float* const view = camera.view;
    float p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = view[4 * i] * means[3 * n] + view[4 * i + 1] * means[3 * n + 1] +
               view[4 * i + 2] * means[3 * n + 2] + view[4 * i + 3];
    }
    const float x = p[0], y = p[1], z = p[2];
    depth[n] = z;
    float2 place = make_float2(0, 0);
    float3 inverse = make_float3(0, 0, 0);
    float reach = 0;
    if (z > near_plane) {
        float rotation[3][3], M[2][3];
        rotation_of(quats + 4 * n, rotation);
        // Row by row: J R, then times the rotation, then times the scales.
        for (int j = 0; j < 3; j++) {
            M[0][j] = M[1][j] = 0;
            for (int k = 0; k < 3; k++) {
                const float depth_part = view[8 + k] / z;
                M[0][j] += camera.fx / z * (view[k] - x * depth_part) * rotation[k][j];
                M[1][j] += camera.fy / z * (view[4 + k] - y * depth_part) * rotation[k][j];
            }
            M[0][j] *= scales[3 * n + j];
            M[1][j] *= scales[3 * n + j];
        }
        const float a = M[0][0] * M[0][0] + M[0][1] * M[0][1] + M[0][2] * M[0][2] + low_pass;
        const float b = M[0][0] * M[1][0] + M[0][1] * M[1][1] + M[0][2] * M[1][2];
        const float c = M[1][0] * M[1][0] + M[1][1] * M[1][1] + M[1][2] * M[1][2] + low_pass;
        const float det = a * c - b * b;
        if (det > 0) {
            const float mean = 0.5f * (a + c);
            const float largest = mean + sqrtf(fmaxf(0.1f, mean * mean - det));
            place = make_float2(camera.fx * x / z + camera.cx, camera.fy * y / z + camera.cy);
            inverse = make_float3(c / det, -b / det, a / det);
            reach = ceilf(3 * sqrtf(largest));
        }
    }
    xy[2 * n] = place.x;
    xy[2 * n + 1] = place.y;
    conic[3 * n] = inverse.x;
    conic[3 * n + 1] = inverse.y;
    conic[3 * n + 2] = inverse.z;
    radius[n] = reach;
}

// ---- Order: a merge sort of keys, depth in the high half and the index in the low one

// As unsigned numbers the bits of negative floats run backwards and above all others: flip them,
// and put the others above them. Adding 0 turns -0 into 0, so that these two tie.
__device__ uint32_t ordered_bits(float depth) {
    const uint32_t bits = __float_as_uint(depth + 0.0f);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__global__ void key_kernel(const float* depth, int N, uint64_t* keys) {
    const int n = global_index();
    if (n < N) {
        keys[n] = static_cast<uint64_t>(ordered_bits(depth[n])) << 32 | static_cast<uint32_t>(n);
    }
}

// Sorted runs of `width` keys become runs of twice as many. No two keys are equal, so the place of
// each is its place in its own run and the number of smaller ones in the run beside it.
__global__ void merge_kernel(const uint64_t* from, int N, long long width, uint64_t* to) {
    const int n = global_index();
    if (n >= N) {
        return;
    }
    const uint64_t key = from[n];
    const long long run = n / width, own = run * width, pair = (run & ~1LL) * width;
    const long long other = (run ^ 1) * width;
    long long low = other < N ? other : N, high = other + width < N ? other + width : N;
    const long long begin = low;
    while (low < high) {
        const long long middle = (low + high) / 2;
        if (from[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    to[pair + (n - own) + (low - begin)] = key;
}

__global__ void order_kernel(const uint64_t* keys, int N, int* order) {
    const int n = global_index();
    if (n < N) {
        order[n] = static_cast<int>(keys[n] & 0xffffffffu);
    }
}

cudaError_t sort_by_depth(const float* depth, int N, int* order, cudaStream_t stream) {
    uint64_t* scratch = nullptr;
    const size_t num_bytes = 2 * sizeof(uint64_t) * static_cast<size_t>(N);
    const cudaError_t status = cudaMallocAsync(&scratch, num_bytes, stream);
    if (status != cudaSuccess) {
        return status;
    }
    const unsigned num_blocks = num_blocks_for(N);
    uint64_t *from = scratch, *to = scratch + N;
    key_kernel<<<num_blocks, num_threads, 0, stream>>>(depth, N, from);
    for (long long width = 1; width < N; width *= 2) {
        merge_kernel<<<num_blocks, num_threads, 0, stream>>>(from, N, width, to);
        uint64_t* const sorted = to;
        to = from;
        from = sorted;
    }
    order_kernel<<<num_blocks, num_threads, 0, stream>>>(from, N, order);
    return cudaFreeAsync(scratch, stream);
}

// ---- Tiles: a block for each, a thread for each pixel

struct Gaussians {
    const float *xy, *conic, *radius, *opacity, *color;
    const int* order;
};

// What touches a tile of some 256 Gaussians, in their order.
struct List {
    float4 place[num_threads];  // x, y, radius, opacity
    float4 conic[num_threads];  // A, B, C, and the bits of the position in the order
    float4 color[num_threads];  // red, green, blue, and the bits of the index
    int num_in_warp[num_warps];
};

struct Pixel {
    int x, y;
    bool is_inside;

    __device__ Pixel(int W, int H)
        : x(blockIdx.x * tile_size + threadIdx.x % tile_size),
          y(blockIdx.y * tile_size + threadIdx.x / tile_size),
          is_inside(x < W && y < H) {}
    __device__ long long index(int W) const { return static_cast<long long>(y) * W + x; }
};

// Whether some pixel in a row or column of the tile is no further away than the radius. Rounding
// is monotone, so that the nearest centre decides for all as it does for itself.
__device__ bool reaches(float at, float radius, unsigned tile) {
    const float first = tile * tile_size + 0.5f, last = first + (tile_size - 1);
    return fabsf(at - fminf(fmaxf(at, first), last)) <= radius;
}

// Fills the list from order[first ... end), 256 at most; returns how many there are. All threads
// of the block call it, after a barrier behind their last look at the list.
__device__ int gather(const Gaussians& g, int first, int end, List& list) {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const int position = first + static_cast<int>(threadIdx.x);
    int n = 0;
    float4 place = make_float4(0, 0, 0, 0);
    if (position < end) {
        n = g.order[position];
        place = make_float4(g.xy[2 * n], g.xy[2 * n + 1], g.radius[n], g.opacity[n]);
    }
    const bool touches = place.z > 0 && reaches(place.x, place.z, blockIdx.x) &&
                         reaches(place.y, place.z, blockIdx.y);
    const unsigned touching = __ballot_sync(full_warp, touches);
    if (lane == 0) {
        list.num_in_warp[warp] = __popc(touching);
    }
    __syncthreads();
    int slot = __popc(touching & ((1u << lane) - 1)), total = 0;
    for (int i = 0; i < num_warps; i++) {
        slot += i < warp ? list.num_in_warp[i] : 0;
        total += list.num_in_warp[i];
    }
    if (touches) {
        list.place[slot] = place;
        list.conic[slot] = make_float4(g.conic[3 * n], g.conic[3 * n + 1], g.conic[3 * n + 2],
                                       __int_as_float(position));
        list.color[slot] = make_float4(g.color[3 * n], g.color[3 * n + 1], g.color[3 * n + 2],
                                       __int_as_float(n));
    }
    __syncthreads();
    return total;
}

// What one Gaussian of the list is to one pixel.
struct Splat {
    float dx, dy;   // from the centre of the pixel to that of the Gaussian
    float falloff;  // e^power
    float alpha;    // 0 where it is skipped
    bool is_clamped;

    __device__ Splat(const List& list, int i, const Pixel& pixel)
        : falloff(0), alpha(0), is_clamped(false) {
        const float4 place = list.place[i];
        dx = place.x - (pixel.x + 0.5f);
        dy = place.y - (pixel.y + 0.5f);
        if (fabsf(dx) > place.z || fabsf(dy) > place.z) {
            return;
        }
        const float4 conic = list.conic[i];
        const float power =
            -0.5f * (conic.x * dx * dx + conic.z * dy * dy) - conic.y * dx * dy;
        if (power > 0) {
            return;
        }
        falloff = expf(power);
        const float raw = place.w * falloff;
        is_clamped = raw > most_alpha;
        const float clamped = is_clamped ? most_alpha : raw;
        alpha = clamped < least_alpha ? 0 : clamped;
    }
};

__global__ void forward_kernel(Gaussians g, const float* bg, int N, int W, int H, float* image,
                               float* final_T, int* n_last) {
    __shared__ List list;
    const Pixel pixel(W, H);
    bool is_done = !pixel.is_inside;
    float T = 1;
    float3 sum = make_float3(0, 0, 0);
    int last = 0;
    for (int first = 0; first < N; first += num_threads) {
        // Who is done stays until all are: barriers want every thread.
        if (__syncthreads_count(is_done) == num_threads) {
            break;
        }
        const int count = gather(g, first, N, list);
        for (int i = 0; i < count && !is_done; i++) {
            const Splat splat(list, i, pixel);
            if (splat.alpha == 0) {
                continue;
            }
            const float T_behind = T * (1 - splat.alpha);
            if (T_behind < least_T) {
                is_done = true;
                break;
            }
            const float4 color = list.color[i];
            const float weight = splat.alpha * T;
            sum.x += weight * color.x;
            sum.y += weight * color.y;
            sum.z += weight * color.z;
            T = T_behind;
            last = __float_as_int(list.conic[i].w) + 1;
        }
    }
    if (pixel.is_inside) {
        const long long at = pixel.index(W);
        image[3 * at] = sum.x + T * bg[0];
        image[3 * at + 1] = sum.y + T * bg[1];
        image[3 * at + 2] = sum.z + T * bg[2];
        final_T[at] = T;
        n_last[at] = last;
    }
}

// ---- Backward: the same tiles from the last batch to the first

struct Gradients {
    float *xy, *conic, *opacity, *color;
};

// Sums each of eight values over a warp; lane i gets the sum of value i / 4. Of the values that two
// lanes hold, each gives away the half that the other keeps: 4 + 2 + 1 + 1 + 1 shuffles, not 40.
template <int num_values>
__device__ float fold(const float (&values)[num_values]) {
    const bool keeps_last = threadIdx.x & (2 * num_values);
    float kept[num_values / 2];
    for (int i = 0; i < num_values / 2; i++) {
        const float first = values[i], last = values[i + num_values / 2];
        const float other = __shfl_xor_sync(full_warp, keeps_last ? first : last, 2 * num_values);
        kept[i] = (keeps_last ? last : first) + other;
    }
    if constexpr (num_values > 2) {
        return fold(kept);
    } else {
        kept[0] += __shfl_xor_sync(full_warp, kept[0], 2);
        return kept[0] + __shfl_xor_sync(full_warp, kept[0], 1);
    }
}

// Adds what a warp has found for a Gaussian: one atomic for each value instead of 32. The values:
// of xy 2, of the conic 3, of the color 3.
__device__ void add_of_warp(const Gradients& grad, int n, const float (&values)[8],
                            float of_opacity) {
    const int lane = threadIdx.x % warp_size, i = lane / 4;
    const float sum = fold(values);
    for (int delta = warp_size / 2; delta > 0; delta /= 2) {
        of_opacity += __shfl_down_sync(full_warp, of_opacity, delta);
    }
    if (lane % 4 == 0) {
        atomicAdd(i < 2   ? &grad.xy[2 * n + i]
                  : i < 5 ? &grad.conic[3 * n + i - 2]
                          : &grad.color[3 * n + i - 5],
                  sum);
    }
    if (lane == 0) {
        atomicAdd(&grad.opacity[n], of_opacity);
    }
}

__global__ void backward_kernel(const float* grad_image, Gaussians g, const float* bg,
                                const float* final_T, const int* n_last, int W, int H,
                                Gradients grad) {
    __shared__ List list;
    __shared__ int last_of_tile;
    const Pixel pixel(W, H);
    float T = 0, behind = 0;
    float3 grad_pixel = make_float3(0, 0, 0);
    int last = 0;
    if (pixel.is_inside) {
        const long long at = pixel.index(W);
        grad_pixel = make_float3(grad_image[3 * at], grad_image[3 * at + 1],
                                 grad_image[3 * at + 2]);
        T = final_T[at];
        last = n_last[at];
        // What is seen behind the Gaussian at hand, times the gradient: at first the background.
        behind = T * (grad_pixel.x * bg[0] + grad_pixel.y * bg[1] + grad_pixel.z * bg[2]);
    }
    if (threadIdx.x == 0) {
        last_of_tile = 0;
    }
    __syncthreads();
    atomicMax(&last_of_tile, last);
    __syncthreads();
    const int end = last_of_tile;
    for (int first = (end - 1) / num_threads * num_threads; first >= 0; first -= num_threads) {
        __syncthreads();
        const int count = gather(g, first, end, list);
        for (int i = count - 1; i >= 0; i--) {
            const Splat splat(list, i, pixel);
            const bool counts = splat.alpha > 0 && __float_as_int(list.conic[i].w) < last;
            if (!__any_sync(full_warp, counts)) {
                continue;
            }
            float values[8] = {}, of_opacity = 0;
            const float4 conic = list.conic[i], color = list.color[i];
            if (counts) {
                // final_T is behind all of them: divide first, then use.
                T /= 1 - splat.alpha;
                const float weight = splat.alpha * T;
                const float grad_dot_color =
                    grad_pixel.x * color.x + grad_pixel.y * color.y + grad_pixel.z * color.z;
                const float grad_alpha = grad_dot_color * T - behind / (1 - splat.alpha);
                behind += weight * grad_dot_color;
                values[5] = weight * grad_pixel.x;
                values[6] = weight * grad_pixel.y;
                values[7] = weight * grad_pixel.z;
                if (!splat.is_clamped) {
                    const float dx = splat.dx, dy = splat.dy;
                    const float grad_power = splat.alpha * grad_alpha;
                    values[0] = -grad_power * (conic.x * dx + conic.y * dy);
                    values[1] = -grad_power * (conic.z * dy + conic.y * dx);
                    values[2] = -0.5f * grad_power * dx * dx;
                    values[3] = -grad_power * dx * dy;
                    values[4] = -0.5f * grad_power * dy * dy;
                    of_opacity = splat.falloff * grad_alpha;
                }
            }
            add_of_warp(grad, __float_as_int(color.w), values, of_opacity);
        }
    }
}

dim3 grid_for(int W, int H) {
    return dim3((W - 1) / tile_size + 1, (H - 1) / tile_size + 1);
}

}  // namespace

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
    const Camera camera{view, fx, fy, cx, cy};
    project_kernel<<<num_blocks_for(N), num_threads, 0, stream>>>(means, scales, quats, camera, N,
                                                                  xy, depth, conic, radius);
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
        const cudaError_t status = sort_by_depth(depth, N, order, stream);
        if (status != cudaSuccess) {
            return status;
        }
    }
    const Gaussians gaussians{xy, conic, radius, opacity, color, order};
    forward_kernel<<<grid_for(W, H), num_threads, 0, stream>>>(gaussians, bg, N, W, H, image,
                                                               final_T, n_last);
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
    const size_t num_bytes = sizeof(float) * static_cast<size_t>(N);
    cudaMemsetAsync(grad_xy, 0, 2 * num_bytes, stream);
    cudaMemsetAsync(grad_conic, 0, 3 * num_bytes, stream);
    cudaMemsetAsync(grad_opacity, 0, num_bytes, stream);
    cudaMemsetAsync(grad_color, 0, 3 * num_bytes, stream);
    const Gaussians gaussians{xy, conic, radius, opacity, color, order};
    const Gradients gradients{grad_xy, grad_conic, grad_opacity, grad_color};
    backward_kernel<<<grid_for(W, H), num_threads, 0, stream>>>(grad_image, gaussians, bg, final_T,
                                                                n_last, W, H, gradients);
    return cudaGetLastError();
}
