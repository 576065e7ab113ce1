// expect: nothing
// A product of two tiles in packs of four, in a function of its own that calls no other.
#include <cstdio>

struct alignas(16) Pack {
    float values[4];
};

// A leaf function with an array of aligned structures, and vectors of 32 bytes beside it.
__device__ __noinline__ void multiply(const float* rows, const float* columns, int n,
                                      float (&scores)[4][2]) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) scores[i][j] = 0;
    for (int d = 0; d < n; d += 4) {
        Pack row[4];
        for (int i = 0; i < 4; i++) row[i] = *reinterpret_cast<const Pack*>(rows + i * 36 + d);
        for (int j = 0; j < 2; j++) {
            const Pack column = *reinterpret_cast<const Pack*>(columns + j * 576 + d);
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < 4; k++) scores[i][j] += row[i].values[k] * column.values[k];
        }
    }
}

__global__ void kernel(float* out, int n) {
    __shared__ __align__(16) float tile[1280];
    for (int i = threadIdx.x; i < 1280; i += blockDim.x) tile[i] = 1;
    __syncthreads();
    float scores[4][2];
    multiply(tile, tile + 4 * 36, n, scores);
    out[threadIdx.x] = scores[threadIdx.x % 4][threadIdx.x / 4 % 2];
}

int main() {
    float *out, host[32];
    cudaMalloc(&out, sizeof host);
    kernel<<<1, 32>>>(out, 32);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    bool right = true;
    for (float each : host) right = right && each == 32;
    if (!right) std::printf("%g, wanted: 32\n", host[0]);
    cudaFree(out);
    return right ? 0 : 1;
}
