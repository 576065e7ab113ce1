// The sum of floats, by a tree in shared memory: each block adds up 256 of them, in eight steps with
// a barrier after each, and leaves its part in out[blockIdx.x].
constexpr int NUM_THREADS = 256;

__global__ void tree(const float* x, float* out, int n) {
    __shared__ float parts[NUM_THREADS];
    const int i = blockIdx.x * NUM_THREADS + threadIdx.x;
    parts[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int half = NUM_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = parts[0];
    }
}
