// expect: deadlock
__global__ void the_others_wait_elsewhere(int* out) {
    if (threadIdx.x >= 32) {
        out[threadIdx.x] = 1;
    } else if (threadIdx.x < 20) {
        out[threadIdx.x] = __all_sync(0xffffffffu, 1);
    }
    __syncthreads();
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    the_others_wait_elsewhere<<<1, 40>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
