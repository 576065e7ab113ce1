// expect: timeout
__device__ int lock = 0;

__global__ void never_released(int* cell) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    *cell += 1;
}

int main() {
    int* cell;
    cudaMalloc(&cell, sizeof(int));
    cudaMemset(cell, 0, sizeof(int));
    never_released<<<1, 64>>>(cell);
    return cudaDeviceSynchronize() != cudaErrorLaunchTimeout;
}
