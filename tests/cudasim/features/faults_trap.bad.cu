// expect: trap
__global__ void stop(int* data) {
    if (data[threadIdx.x] == 0) {
        __trap();
    }
}

int main() {
    int* data;
    cudaMalloc(&data, 128);
    cudaMemset(data, 0, 128);
    stop<<<1, 32>>>(data);
    return cudaDeviceSynchronize() == cudaSuccess;
}
