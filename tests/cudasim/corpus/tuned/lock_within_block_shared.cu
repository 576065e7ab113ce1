// expect: nothing
// Four warps take turns by a lock in shared memory, first lanes only, with fences at both ends.
__global__ void tally(int* out) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence_block();
        sum += threadIdx.x;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}

int main() {
    int* out;
    cudaMalloc(&out, sizeof(int));
    tally<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
