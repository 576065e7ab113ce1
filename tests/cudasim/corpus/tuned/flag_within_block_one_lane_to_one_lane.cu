// expect: nothing
// A value goes from one thread to another of its block by a flag and fences.
__global__ void pass_on(int* out) {
    __shared__ int data[32], flag;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        if (lane == 0) for (int k = 0; k < 32; ++k) data[k] = k;
        if (lane == 0) {
            __threadfence_block();
            atomicExch(&flag, 1);
        }
    } else {
        if (lane == 0) {
            while (atomicAdd(&flag, 0) == 0) {
            }
            __threadfence_block();
            for (int k = 0; k < 32; ++k) out[k] = data[k];
        }
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    pass_on<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
