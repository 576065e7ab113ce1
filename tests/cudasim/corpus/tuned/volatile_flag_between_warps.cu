// expect: nothing
// One warp waits for another by a volatile flag in global memory, in a loop that does nothing else:
// the scheduler must let the other one run.
#include <cstdio>

__device__ volatile int ready;

__global__ void hand_over(int* box, volatile int* done, int value) {
    if (threadIdx.x == 0) {
        while (ready == 0) {
        }
        __threadfence();
        box[0] = box[1] + 1;
        __threadfence();
        *done = 1;
    } else if (threadIdx.x == 32) {
        box[1] = value;
        __threadfence();
        ready = 1;
        while (*done == 0) {
        }
        __threadfence();
        box[2] = box[0] + 1;
    }
}

int main() {
    int *box, *done, host[3] = {};
    cudaMalloc(&box, sizeof host);
    cudaMalloc(&done, sizeof(int));
    cudaMemset(done, 0, sizeof(int));
    hand_over<<<1, 64>>>(box, done, 40);
    cudaMemcpy(host, box, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(box);
    cudaFree(done);
    if (host[0] != 41 || host[1] != 40 || host[2] != 42) {
        std::printf("%d %d %d\n", host[0], host[1], host[2]);
        return 1;
    }
    return 0;
}
