// expect: nothing
// Dot product by example of a textbook, finished by the last block with a fence and atomicInc; run twice without a reset.
#include <cstdio>
#include <cstdlib>

#define imin(a, b) ((a) < (b) ? (a) : (b))
const int N = 33 * 64 + 5;
const int threadsPerBlock = 128;
const int blocksPerGrid = imin(9, (N + threadsPerBlock - 1) / threadsPerBlock);

__device__ unsigned int count = 0;

__global__ void dot(const float *a, const float *b, volatile float *partial, float *c) {
    __shared__ float cache[threadsPerBlock];
    __shared__ bool amLast;
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    float temp = 0;
    while (tid < N) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0) {
        partial[blockIdx.x] = cache[0];
        __threadfence();
        unsigned int value = atomicInc(&count, gridDim.x - 1);
        amLast = (value == (gridDim.x - 1));
    }
    __syncthreads();
    if (amLast) {
        float total = 0;
        for (int k = threadIdx.x; k < gridDim.x; k += blockDim.x) total += partial[k];
        cache[cacheIndex] = total;
        __syncthreads();
        for (int s = blockDim.x / 2; s > 0; s >>= 1) {
            if (cacheIndex < s) cache[cacheIndex] += cache[cacheIndex + s];
            __syncthreads();
        }
        if (cacheIndex == 0) *c = cache[0];
    }
}

int main(void) {
    float *a = new float[N], *b = new float[N], *dev_a, *dev_b, *dev_partial, *dev_c, c[2];
    cudaMalloc((void **)&dev_a, N * sizeof(float));
    cudaMalloc((void **)&dev_b, N * sizeof(float));
    cudaMalloc((void **)&dev_partial, blocksPerGrid * sizeof(float));
    cudaMalloc((void **)&dev_c, sizeof(float));
    double want = 0;
    for (int i = 0; i < N; i++) {
        a[i] = i % 8;
        b[i] = (i % 4) * 2;
        want += a[i] * b[i];
    }
    cudaMemcpy(dev_a, a, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_b, b, N * sizeof(float), cudaMemcpyHostToDevice);
    for (int run = 0; run < 2; run++) {
        dot<<<blocksPerGrid, threadsPerBlock>>>(dev_a, dev_b, dev_partial, dev_c);
        cudaMemcpy(&c[run], dev_c, sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(dev_a);
    cudaFree(dev_b);
    cudaFree(dev_partial);
    cudaFree(dev_c);
    delete[] a;
    delete[] b;
    if (c[0] != want || c[1] != want) { printf("%f %f, not %f\n", c[0], c[1], want); return 1; }
    return 0;
}
