// expect: trap
__global__ void divide(int* data) { data[threadIdx.x] = 100 / data[threadIdx.x]; }

int main() {
    int* data;
    cudaMalloc(&data, 128);
    cudaMemset(data, 0, 128);
    divide<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    return 0;
}
