// expect: race
// A lock that is atomic for its block only guards a number that all blocks add to.
__device__ int lock, total;

__global__ void add(const int* in) {
    if (threadIdx.x == 0) {
        while (atomicCAS_block(&lock, 0, 1) != 0) {  // <- race
        }
        __threadfence();
        total += in[blockIdx.x];  // <- race
        __threadfence();
        atomicExch_block(&lock, 0);  // <- race
    }
}

int main() {
    int *in, host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    cudaMalloc(&in, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add<<<8, 32>>>(in);
    cudaDeviceSynchronize();
    cudaFree(in);
}
