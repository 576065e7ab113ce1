// expect: timeout
__global__ void wait_forever(volatile int* flag) {
    const long long begin = clock64();
    while (*flag == 0 || clock64() < begin) {
    }
}

int main() {
    int* flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait_forever<<<1, 1>>>(flag);
    return cudaDeviceSynchronize() != cudaErrorLaunchTimeout;
}
