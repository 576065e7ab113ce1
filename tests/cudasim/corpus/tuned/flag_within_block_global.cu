// expect: nothing
// Thread 0 hands a value in global memory to thread 32 of its own block: fence, flag, poll, fence.
__device__ int flag, value;

__global__ void hand_over(int* out) {
    if (threadIdx.x == 0) {
        value = 7;
        __threadfence();
        atomicExch(&flag, 1);
    }
    if (threadIdx.x == 32) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence();
        *out = value;
    }
}

int main() {
    int* out;
    cudaMalloc(&out, sizeof(int));
    hand_over<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
