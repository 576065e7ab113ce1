// expect: use-after-free
__global__ void increment(int* data) { data[threadIdx.x]++; }

int main() {
    int* data;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocAsync(&data, 128, stream);
    cudaMemsetAsync(data, 0, 128, stream);
    cudaFreeAsync(data, stream);
    increment<<<1, 32, 0, stream>>>(data);
    cudaStreamSynchronize(stream);
    return 0;
}
