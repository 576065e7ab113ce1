// expect: race
// Bitonic sort in one block by i ^ j; the barrier stands in the outer loop only.
#include <cstdio>
#include <cstdlib>

static void HandleError(cudaError_t err, const char *file, int line) {
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

__global__ void bitonic(float *values, int count) {
    extern __shared__ float sh[];
    const unsigned tid = threadIdx.x;
    sh[tid] = (int)tid < count ? values[tid] : 3.4e38f;
    for (unsigned k = 2; k <= blockDim.x; k <<= 1) {
        __syncthreads();
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            unsigned ixj = tid ^ j;
            if (ixj > tid) {
                float a = sh[tid], b = sh[ixj];  // <- race
                bool up = (tid & k) == 0;
                if ((a > b) == up) {
                    sh[tid] = b;  // <- race
                    sh[ixj] = a;  // <- race
                }
            }
        }
    }
    __syncthreads();
    if ((int)tid < count) values[tid] = sh[tid];
}

int main() {
    const int count = 119;
    float h[count];
    for (int i = 0; i < count; i++) h[i] = (float)((i * 61) % 127);
    float *d;
    HANDLE_ERROR(cudaMalloc((void **)&d, sizeof(h)));
    HANDLE_ERROR(cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice));
    bitonic<<<1, 128, 128 * sizeof(float)>>>(d, count);
    HANDLE_ERROR(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
    printf("%f %f\n", h[0], h[count - 1]);
    HANDLE_ERROR(cudaFree(d));
    return 0;
}
