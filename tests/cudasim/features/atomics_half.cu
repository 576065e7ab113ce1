// feature: atomicAdd of __half, __half2, __nv_bfloat16 and __nv_bfloat162
// area: atomics
#include <cstdio>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void run(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2, float* out) {
    if (threadIdx.x == 0) {
        *h = __float2half(0.0f);
        *h2 = __float2half2_rn(0.0f);
        *b = __float2bfloat16(0.0f);
        *b2 = __float2bfloat162_rn(0.0f);
    }
    __shared__ __half part[2];
    if (threadIdx.x < 2) {
        part[threadIdx.x] = __float2half(1.0f);
    }
    __syncthreads();
    atomicAdd(h, __float2half(0.5f));
    atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
    const __nv_bfloat16 before = atomicAdd(b, __float2bfloat16(2.0f));
    atomicAdd(b2, __floats2bfloat162_rn(0.25f, -1.0f));
    atomicAdd(&part[threadIdx.x % 2], __float2half(1.0f));
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = __half2float(*h);
        out[1] = __low2float(*h2);
        out[2] = __high2float(*h2);
        out[3] = __bfloat162float(*b);
        out[4] = __low2float(*b2);
        out[5] = __high2float(*b2);
        out[6] = __half2float(part[0]);
        out[7] = __half2float(part[1]);
    }
    if (__bfloat162float(before) < 0.0f) {
        out[0] = -1.0f;
    }
}

int main() {
    char* memory;
    float *out, host[8];
    cudaMalloc(&memory, 64);
    cudaMalloc(&out, sizeof host);
    run<<<1, 64>>>(reinterpret_cast<__half*>(memory), reinterpret_cast<__half2*>(memory + 16),
                   reinterpret_cast<__nv_bfloat16*>(memory + 32),
                   reinterpret_cast<__nv_bfloat162*>(memory + 48), out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(memory);
    cudaFree(out);
    const float want[8] = {32, 64, 128, 128, 16, -64, 33, 33};
    for (int i = 0; i < 8; i++) {
        if (host[i] != want[i]) {
            std::printf("sum %d is %g and not %g\n", i, host[i], want[i]);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
