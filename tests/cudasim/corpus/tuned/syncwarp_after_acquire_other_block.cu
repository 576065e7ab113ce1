// expect: nothing
// From block to block: one lane sends; the first lane of the other polls, and all read after a
// __syncwarp().
__device__ int arrivals, flag, data[32];

__global__ void pass_on(int* out) {
    __shared__ int first;
    int lane = threadIdx.x;
    if (lane == 0) first = atomicAdd(&arrivals, 1) == 0;
    __syncthreads();
    if (first) {
        if (lane == 0) {
            for (int k = 0; k < 32; ++k) data[k] = k;
            __threadfence();
            atomicExch(&flag, 1);
        }
    } else {
        if (lane == 0) {
            while (atomicAdd(&flag, 0) == 0) {
            }
            __threadfence();
        }
        __syncwarp();
        out[lane] = data[31 - lane];
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    pass_on<<<2, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
