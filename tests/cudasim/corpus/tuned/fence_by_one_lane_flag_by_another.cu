// expect: nothing
// All write; after the barrier one lane fences, and another one of its warp sets the flag.
__device__ int arrivals, flag, data[32];

__global__ void pass_on(int* out) {
    __shared__ int is_first;
    if (threadIdx.x == 0) is_first = atomicAdd(&arrivals, 1) == 0;
    __syncthreads();
    if (is_first) {
        data[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) __threadfence();
        __syncwarp();
        if (threadIdx.x == 1) atomicExch(&flag, 1);
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(&flag, 0) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = data[31 - threadIdx.x];
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    pass_on<<<2, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
