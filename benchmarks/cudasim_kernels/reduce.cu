// The sum of n floats, n a multiple of four. Each block leaves its part in out[blockIdx.x]; a second
// launch with one block adds the parts up.
constexpr int WARP = 32;
constexpr int NUM_THREADS = 256;
constexpr int NUM_WARPS = NUM_THREADS / WARP;

__device__ float sum_warp(float value) {
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, distance);
    }
    return value;  // of all lanes in lane 0
}

__global__ void reduce(const float4* x, float* out, int n) {
    __shared__ float parts[NUM_WARPS];

    // Neighbours read neighbouring float4: a warp asks for 512 bytes at once.
    float sum = 0.0f;
    const int stride = gridDim.x * NUM_THREADS;
    for (int i = blockIdx.x * NUM_THREADS + threadIdx.x; i < n / 4; i += stride) {
        const float4 v = x[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }

    sum = sum_warp(sum);
    if (threadIdx.x % WARP == 0) {
        parts[threadIdx.x / WARP] = sum;
    }
    __syncthreads();

    if (threadIdx.x < WARP) {
        sum = sum_warp(threadIdx.x < NUM_WARPS ? parts[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
