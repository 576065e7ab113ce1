// Version 4 of the editorial, which earns both stars: a block takes a contiguous chunk and sums it
// by columns in shared memory; then one atomic addition a column carries it to global memory.
#include <cuda_runtime.h>

namespace {

constexpr int max_columns = 256;

struct Chunk {
    long long begin, end;
};

__device__ Chunk chunk_of_block(long long n) {
    const long long length = (n + gridDim.x - 1) / gridDim.x;
    const long long begin = blockIdx.x * length;
    return {begin, begin + length < n ? begin + length : n};
}

}  // namespace

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const Chunk chunk = chunk_of_block(n);
    for (long long i = chunk.begin + threadIdx.x; i < chunk.end; i += blockDim.x) {
        out[i] = a[i] + alpha * b[i % nb];
    }
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    __shared__ float sums[max_columns];
    const Chunk chunk = chunk_of_block(n);
    const bool has_partials = grad_b && nb <= max_columns;
    if (has_partials) {
        for (int column = threadIdx.x; column < nb; column += blockDim.x) {
            sums[column] = 0.0f;
        }
        // The condition is the same for all threads, so all of them reach the barrier.
        __syncthreads();
    }
    for (long long i = chunk.begin + threadIdx.x; i < chunk.end; i += blockDim.x) {
        const float g = grad_out[i];
        if (grad_a) {
            grad_a[i] = g;
        }
        if (grad_b) {
            atomicAdd(has_partials ? &sums[i % nb] : &grad_b[i % nb], alpha * g);
        }
    }
    if (has_partials) {
        __syncthreads();
        for (int column = threadIdx.x; column < nb; column += blockDim.x) {
            atomicAdd(&grad_b[column], sums[column]);
        }
    }
}
