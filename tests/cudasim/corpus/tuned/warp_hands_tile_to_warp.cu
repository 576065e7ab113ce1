// expect: nothing
// One warp fills a tile, then its first lane fences and sets a flag; the first lane of the other warp
// polls and fences, and all of them read. A __syncwarp() stands at either side.
__global__ void pass_on(int* out) {
    __shared__ int data[32], flag;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        data[lane] = lane;
        __syncwarp();
        if (lane == 0) {
            __threadfence_block();
            atomicExch_block(&flag, 1);
        }
    } else {
        if (lane == 0) {
            while (atomicAdd_block(&flag, 0) == 0) {
            }
            __threadfence_block();
        }
        __syncwarp();
        out[lane] = data[31 - lane];
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    pass_on<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
