// expect: out-of-bounds
__global__ void histogram(const int* keys, float* bins) {
    atomicAdd(&bins[keys[threadIdx.x]], 1.0f);
}

int main() {
    int *keys, host[32];
    float* bins;
    for (int i = 0; i < 32; i++) {
        host[i] = i == 20 ? 1 << 20 : i % 16;
    }
    cudaMalloc(&keys, sizeof host);
    cudaMalloc(&bins, 16 * sizeof(float));
    cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, 16 * sizeof(float));
    histogram<<<1, 32>>>(keys, bins);
    cudaDeviceSynchronize();
    return 0;
}
