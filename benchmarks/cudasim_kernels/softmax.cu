// y = softmax(x) along rows; one block of 256 threads a row.
constexpr int WARP = 32;
constexpr int NUM_THREADS = 256;
constexpr int NUM_WARPS = NUM_THREADS / WARP;
constexpr unsigned ALL_LANES = 0xffffffffu;

struct Maximum {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

// After five exchanges each lane holds what all 32 values of its warp combine to.
template <class Combine>
__device__ float reduce_warp(float value, Combine combine) {
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value = combine(value, __shfl_xor_sync(ALL_LANES, value, distance));
    }
    return value;
}

// The same for the block: each warp by itself, then each thread over the results of the warps.
template <class Combine>
__device__ float reduce_block(float value, float* of_warps, Combine combine) {
    value = reduce_warp(value, combine);
    if (threadIdx.x % WARP == 0) {
        of_warps[threadIdx.x / WARP] = value;
    }
    __syncthreads();
    float total = of_warps[0];
    for (int warp = 1; warp < NUM_WARPS; warp++) {
        total = combine(total, of_warps[warp]);
    }
    return total;
}

__global__ void softmax(const float* x, float* y, int num_columns) {
    // One array for each reduction: so the second need not wait until the first has been read.
    __shared__ float maxima[NUM_WARPS], sums[NUM_WARPS];
    const float* const row = x + blockIdx.x * num_columns;
    float* const out = y + blockIdx.x * num_columns;

    // The maximum is subtracted, so that no exponent is positive and expf cannot overflow.
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < num_columns; i += NUM_THREADS) {
        largest = fmaxf(largest, row[i]);
    }
    largest = reduce_block(largest, maxima, Maximum());

    float sum = 0.0f;
    for (int i = threadIdx.x; i < num_columns; i += NUM_THREADS) {
        out[i] = expf(row[i] - largest);
        sum += out[i];
    }
    sum = reduce_block(sum, sums, Sum());

    const float scale = 1.0f / sum;
    for (int i = threadIdx.x; i < num_columns; i += NUM_THREADS) {
        out[i] *= scale;
    }
}
