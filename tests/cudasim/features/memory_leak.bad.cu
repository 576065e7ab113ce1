// expect: leak
__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
    int* data;
    cudaMalloc(&data, 32 * sizeof(int));
    fill<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    return 0;
}
