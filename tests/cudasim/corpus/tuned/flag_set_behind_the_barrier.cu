// expect: deadlock timeout
// may: barrier-divergence
// Consumers spin on a flag; the producer waits for them at a barrier before it sets it.
#include <cuda_runtime.h>

__global__ void handshake(int* out) {
    __shared__ int flag;
    int tid = threadIdx.x;
    if (tid == 0) flag = 0;
    __syncthreads();
    if (tid >= 32) {
        while (atomicAdd(&flag, 0) == 0) {  // <- deadlock timeout
        }  // <- deadlock timeout
    }
    __syncthreads();  // <- deadlock timeout
    if (tid == 0) atomicExch(&flag, 1);
    out[tid] = tid;
}

int main() {
    int *d_out, out[64];
    cudaMalloc(&d_out, sizeof(out));
    handshake<<<1, 64>>>(d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return 0;
}
