// expect: race
// may: uninitialized
// A mailbox between two blocks: the fence is there, but after the flag instead of before it.
#include <cuda_runtime.h>

struct Mailbox {
    unsigned arrivals;
    int full;
    int message[32];
};

__global__ void send_and_receive(Mailbox* box, int* out) {
    __shared__ unsigned arrival;
    int tid = threadIdx.x;
    if (tid == 0) arrival = atomicAdd(&box->arrivals, 1u);
    __syncthreads();
    if (arrival == 0) {  // the first block to arrive sends
        if (tid == 0) atomicExch(&box->full, 1);
        box->message[tid] = tid * 10;  // <- race
        __threadfence();
    } else {
        if (tid == 0) {
            while (atomicAdd(&box->full, 0) == 0) {
            }
        }
        __syncthreads();
        __threadfence();
        out[tid] = box->message[tid];  // <- race
    }
}

int main() {
    Mailbox* d_box;
    int *d_out, out[32];
    cudaMalloc(&d_box, sizeof(Mailbox));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemset(d_box, 0, 2 * sizeof(int));
    send_and_receive<<<2, 32>>>(d_box, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_box);
    cudaFree(d_out);
    return 0;
}
