// expect: nothing
// From block to block: all lanes write, and after a __syncwarp() the first one fences and signals.
__device__ int arrivals, flag, data[32];

__global__ void pass_on(int* out) {
    __shared__ int first;
    int lane = threadIdx.x;
    if (lane == 0) first = atomicAdd(&arrivals, 1) == 0;
    __syncthreads();
    if (first) {
        data[lane] = lane;
        __syncwarp();
        if (lane == 0) {
            __threadfence();
            atomicExch(&flag, 1);
        }
    } else {
        if (lane == 0) {
            while (atomicAdd(&flag, 0) == 0) {
            }
            __threadfence();
            for (int k = 0; k < 32; ++k) out[k] = data[k];
        }
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    pass_on<<<2, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
