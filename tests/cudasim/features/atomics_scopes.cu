// feature: atomics of block and of system scope
// area: atomics
#include <cstdio>

__global__ void run(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
    atomicAdd_block(&i[blockIdx.x], 1);
    atomicAdd_system(&i[8], 2);
    atomicSub_system(&i[9], 1);
    atomicMax_block(&i[10 + blockIdx.x], static_cast<int>(threadIdx.x));
    atomicMin_system(&i[18], -static_cast<int>(threadIdx.x));
    atomicExch_block(&i[20 + blockIdx.x], 5);
    atomicCAS_system(&i[28], 0, 9);
    atomicOr_block(&u[blockIdx.x], 1u << threadIdx.x % 32);
    atomicAnd_system(&u[8], ~(1u << threadIdx.x % 32));
    atomicXor_system(&u[9], 1u);
    atomicInc_system(&u[10], 1000u);
    atomicDec_block(&u[11 + blockIdx.x], 1000u);
    atomicAdd_system(l, 1ULL << 33);
    atomicAdd_block(&f[blockIdx.x], 0.5f);
    atomicAdd_system(d, 0.5);
}

int main() {
    int *i, host_i[32];
    unsigned *u, host_u[32] = {};
    unsigned long long *l, host_l;
    float *f, host_f[8];
    double *d, host_d;
    cudaMalloc(&i, sizeof host_i);
    cudaMalloc(&u, sizeof host_u);
    cudaMalloc(&l, sizeof host_l);
    cudaMalloc(&f, sizeof host_f);
    cudaMalloc(&d, sizeof host_d);
    cudaMemset(i, 0, sizeof host_i);
    host_u[8] = ~0u;
    cudaMemcpy(u, host_u, sizeof host_u, cudaMemcpyHostToDevice);
    cudaMemset(l, 0, sizeof host_l);
    cudaMemset(f, 0, sizeof host_f);
    cudaMemset(d, 0, sizeof host_d);
    run<<<8, 64>>>(i, u, l, f, d);
    cudaMemcpy(host_i, i, sizeof host_i, cudaMemcpyDeviceToHost);
    cudaMemcpy(host_u, u, sizeof host_u, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_l, l, sizeof host_l, cudaMemcpyDeviceToHost);
    cudaMemcpy(host_f, f, sizeof host_f, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_d, d, sizeof host_d, cudaMemcpyDeviceToHost);
    cudaFree(i);
    cudaFree(u);
    cudaFree(l);
    cudaFree(f);
    cudaFree(d);
    int wrong = host_i[8] != 1024 || host_i[9] != -512 || host_i[18] != -63 || host_i[28] != 9;
    wrong += host_u[8] != 0 || host_u[9] != 0 || host_u[10] != 512;
    wrong += host_l != 512ULL << 33 || host_d != 256;
    for (int k = 0; k < 8; k++) {
        wrong += host_i[k] != 64 || host_i[10 + k] != 63 || host_i[20 + k] != 5;
        wrong += host_u[k] != ~0u || host_u[11 + k] != 1001 - 64 || host_f[k] != 32;
    }
    if (wrong) {
        std::printf("%d groups of cells are wrong\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
