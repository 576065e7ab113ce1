#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int num_threads = 256;
// A card runs a few thousand blocks at once; the loops walk over whatever is left.
constexpr long long most_blocks = 8192;

// NaN < 0 and NaN <= 0 are false: NaN stays NaN, and the gradient passes where y is NaN.
__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }
__device__ float mask(float grad_y, float y) { return y <= 0.0f ? 0.0f : grad_y; }

// Where the packs of four lie: `head` elements come before them, fewer than four behind them.
struct Split {
    long long head, num_packs, n;

    __device__ long long num_loose() const { return n - 4 * num_packs; }
    // The elements outside of the packs, numbered from 0: first the head, then the tail.
    __device__ long long place_of_loose(long long i) const {
        return i < head ? i : i + 4 * num_packs;
    }
};

__device__ long long first_index() {
    return blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
}
__device__ long long num_in_grid() { return gridDim.x * static_cast<long long>(blockDim.x); }

__global__ void forward_kernel(const float* x, float* y, Split split) {
    const float4* const x_packs = reinterpret_cast<const float4*>(x + split.head);
    float4* const y_packs = reinterpret_cast<float4*>(y + split.head);
    for (long long i = first_index(); i < split.num_packs; i += num_in_grid()) {
        const float4 v = x_packs[i];
        y_packs[i] = make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
    }
    for (long long i = first_index(); i < split.num_loose(); i += num_in_grid()) {
        const long long place = split.place_of_loose(i);
        y[place] = relu(x[place]);
    }
}

__global__ void backward_kernel(const float* grad_y, const float* y, float* grad_x, Split split) {
    const float4* const grad_y_packs = reinterpret_cast<const float4*>(grad_y + split.head);
    const float4* const y_packs = reinterpret_cast<const float4*>(y + split.head);
    float4* const grad_x_packs = reinterpret_cast<float4*>(grad_x + split.head);
    for (long long i = first_index(); i < split.num_packs; i += num_in_grid()) {
        const float4 g = grad_y_packs[i], v = y_packs[i];
        grad_x_packs[i] =
            make_float4(mask(g.x, v.x), mask(g.y, v.y), mask(g.z, v.z), mask(g.w, v.w));
    }
    for (long long i = first_index(); i < split.num_loose(); i += num_in_grid()) {
        const long long place = split.place_of_loose(i);
        grad_x[place] = mask(grad_y[place], y[place]);
    }
}

// How many floats an address lies behind one of a float4.
long long phase_of(const void* pointer) {
    return static_cast<long long>(reinterpret_cast<uintptr_t>(pointer) / sizeof(float) % 4);
}

// Only pointers of the same phase reach a multiple of 16 bytes together.
Split split_at(long long phase, bool is_shared, long long n) {
    const long long head = (4 - phase) % 4;
    if (!is_shared || n < head) {
        return {0, 0, n};
    }
    return {head, (n - head) / 4, n};
}

unsigned num_blocks_for(const Split& split) {
    const long long num_loose = split.n - 4 * split.num_packs;
    const long long work = split.num_packs > num_loose ? split.num_packs : num_loose;
    const long long blocks = (work + num_threads - 1) / num_threads;
    return static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
}

}  // namespace

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    const long long phase = phase_of(x);
    const Split split = split_at(phase, phase == phase_of(y), n);
    forward_kernel<<<num_blocks_for(split), num_threads, 0, stream>>>(x, y, split);
    return cudaGetLastError();
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    const long long phase = phase_of(y);
    const bool is_shared = phase == phase_of(grad_y) && phase == phase_of(grad_x);
    const Split split = split_at(phase, is_shared, n);
    backward_kernel<<<num_blocks_for(split), num_threads, 0, stream>>>(grad_y, y, grad_x, split);
    return cudaGetLastError();
}
