// A block owns a column: its threads sum every blockDim-th row, and a tree in shared memory joins
// them. No atomics and a fixed order, but the threads of a warp read nb floats apart.
#include <cuda_runtime.h>

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    while (i < n) {
        out[i] = __fadd_rn(a[i], __fmul_rn(alpha, __ldg(b + i % nb)));
        i += stride;
    }
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    __shared__ double sums[1024];
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
         grad_a && i < n; i += stride) {
        grad_a[i] = grad_out[i];
    }
    for (long long column = blockIdx.x; grad_b && column < nb; column += gridDim.x) {
        double sum = 0.0;
        for (long long i = column + threadIdx.x * nb; i < n; i += blockDim.x * nb) {
            sum += static_cast<double>(alpha) * grad_out[i];
        }
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (unsigned width = 512; width > 0; width /= 2) {
            // blockDim need not be a power of two.
            if (threadIdx.x < width && threadIdx.x + width < blockDim.x) {
                sums[threadIdx.x] += sums[threadIdx.x + width];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            grad_b[column] = static_cast<float>(sums[0]);
        }
        // The next column writes where thread 0 still reads.
        __syncthreads();
    }
}
