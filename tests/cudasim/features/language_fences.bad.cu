// expect: RAW
__global__ void pass_on(int* data, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 1;
        __threadfence();
    } else {
        out[threadIdx.x] = data[threadIdx.x];
    }
}

int main() {
    int* data;
    cudaMalloc(&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    pass_on<<<2, 32>>>(data, data + 32);
    cudaDeviceSynchronize();
    cudaFree(data);
    return 0;
}
