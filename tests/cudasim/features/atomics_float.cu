// feature: atomicAdd of float and double, atomicExch of float, in global and in shared memory
// area: atomics
#include <cstdio>

__global__ void run(float* f, double* d) {
    __shared__ float part;
    __shared__ double dpart;
    if (threadIdx.x == 0) {
        part = 0;
        dpart = 0;
    }
    __syncthreads();
    atomicAdd(&part, 0.5f);
    atomicAdd(&dpart, 0.25);
    atomicAdd(&f[1], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        const float before = atomicAdd(f, part);
        atomicAdd(d, dpart);
        if (before < 0) {
            atomicExch(f, -1000.0f);
        }
    }
    atomicExch(&f[2], 7.0f);
}

int main() {
    float *f, host[3] = {};
    double *d, host_d = 0;
    cudaMalloc(&f, sizeof host);
    cudaMalloc(&d, sizeof host_d);
    cudaMemset(f, 0, sizeof host);
    cudaMemset(d, 0, sizeof host_d);
    run<<<8, 128>>>(f, d);
    cudaMemcpy(host, f, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_d, d, sizeof host_d, cudaMemcpyDeviceToHost);
    cudaFree(f);
    cudaFree(d);
    if (host[0] != 512 || host[1] != 1024 || host[2] != 7 || host_d != 256) {
        std::printf("%g %g %g %g\n", host[0], host[1], host[2], host_d);
        return 1;
    }
    return cudaGetLastError() != cudaSuccess;
}
