// Seven steps of a sum over n numbers, n a multiple of 2 * blockDim.x; out[block] is its part.
// After them one that adds within warps by shuffles.
#define HEAD                                                                       \
    extern __shared__ float part[];                                                \
    unsigned t = threadIdx.x;

extern "C" __global__ void interleaved_divergent(const float* in, float* out, unsigned n) {
    HEAD
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void interleaved_conflicts(const float* in, float* out, unsigned n) {
    HEAD
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned i = 2 * s * t;
        if (i < blockDim.x) part[i] += part[i + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void sequential(const float* in, float* out, unsigned n) {
    HEAD
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void first_add_at_load(const float* in, float* out, unsigned n) {
    HEAD
    unsigned i = blockIdx.x * blockDim.x * 2 + t;
    part[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

__device__ void add_within_warp(float* part, unsigned t) {
    for (int s = 32; s > 0; s /= 2) {
        float sum = part[t] + part[t + s];
        __syncwarp();
        part[t] = sum;
        __syncwarp();
    }
}

extern "C" __global__ void last_warp_apart(const float* in, float* out, unsigned n) {
    HEAD
    unsigned i = blockIdx.x * blockDim.x * 2 + t;
    part[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t < 32) add_within_warp(part, t);
    if (t == 0) out[blockIdx.x] = part[0];
}

template <unsigned THREADS>
__device__ void add_within_block(float* part, unsigned t) {
    __syncthreads();
    if constexpr (THREADS >= 512) {
        if (t < 256) part[t] += part[t + 256];
        __syncthreads();
    }
    if constexpr (THREADS >= 256) {
        if (t < 128) part[t] += part[t + 128];
        __syncthreads();
    }
    if constexpr (THREADS >= 128) {
        if (t < 64) part[t] += part[t + 64];
        __syncthreads();
    }
    if (t < 32) add_within_warp(part, t);
}

extern "C" __global__ void unrolled(const float* in, float* out, unsigned n) {
    HEAD
    unsigned i = blockIdx.x * 256 * 2 + t;
    part[t] = in[i] + in[i + 256];
    add_within_block<256>(part, t);
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void many_each(const float* in, float* out, unsigned n) {
    HEAD
    float sum = 0;
    for (unsigned i = blockIdx.x * 256 * 2 + t; i < n; i += 256 * 2 * gridDim.x) {
        sum += in[i] + in[i + 256];
    }
    part[t] = sum;
    add_within_block<256>(part, t);
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void shuffled(const float* in, float* out, unsigned n) {
    __shared__ float of_warp[8];
    unsigned t = threadIdx.x;
    float sum = 0;
    for (unsigned i = blockIdx.x * 256 * 2 + t; i < n; i += 256 * 2 * gridDim.x) {
        sum += in[i] + in[i + 256];
    }
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffffu, sum, s);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 8) {
        sum = of_warp[t];
        for (int s = 4; s > 0; s /= 2) sum += __shfl_down_sync(0xffu, sum, s);
        if (t == 0) out[blockIdx.x] = sum;
    }
}

// One address for the whole grid, and one for each block before.
extern "C" __global__ void atomic_by_all(const float* in, float* out, unsigned n) {
    atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

extern "C" __global__ void atomic_within_block(const float* in, float* out, unsigned n) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
