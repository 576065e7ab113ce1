// expect: nothing
// A value goes through two flags of the block, each with its fence; the last thread reads what the
// first has written.
__global__ void chain(int* out, int value) {
    __shared__ int x, first, second;
    if (threadIdx.x == 0) first = second = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        x = value;
        __threadfence_block();
        atomicExch_block(&first, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd_block(&first, 0) == 0) {
        }
        __threadfence_block();
        atomicExch_block(&second, 1);
    } else if (threadIdx.x == 64) {
        while (atomicAdd_block(&second, 0) == 0) {
        }
        __threadfence_block();
        *out = x;
    }
}

int main() {
    int *out, host = 0;
    cudaMalloc(&out, sizeof host);
    chain<<<1, 96>>>(out, 7);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return host != 7;
}
