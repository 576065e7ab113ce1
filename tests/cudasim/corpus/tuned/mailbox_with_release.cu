// expect: nothing
// One block sends, the other receives: fence before the flag, fence after seeing it.
#include <cstdio>
#include <vector>

__device__ unsigned arrivals;
__device__ int full;
__device__ int message[32];

__global__ void send_and_receive(const int* in, int* out) {
    __shared__ unsigned arrival;
    int tid = threadIdx.x;
    if (tid == 0) arrival = atomicAdd(&arrivals, 1u);
    __syncthreads();
    if (arrival == 0) {  // the first block to arrive sends
        message[tid] = in[tid] + 1;
        __threadfence();
        __syncthreads();
        if (tid == 0) atomicExch(&full, 1);
    } else {
        if (tid == 0) {
            while (atomicAdd(&full, 0) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[tid] = message[tid];
    }
}

int main() {
    const int n = 32, m = 32;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 9;
    for (int i = 0; i < n; ++i) want[i] = in[i] + 1;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    send_and_receive<<<2, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaMemcpy(out.data(), d_out, m * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < m; ++i) {
        if (out[i] != want[i]) {
            printf("out[%d] is %d, not %d\n", i, out[i], want[i]);
            return 1;
        }
    }
    return 0;
}
