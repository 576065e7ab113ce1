// expect: out-of-bounds
// The index before the first is 4294967295: 16 GiB behind the array, where nothing is.
__global__ void k(const float* in, float* out) {
    unsigned i = threadIdx.x;
    out[i] = in[i - 1];  // <- out-of-bounds
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 32 * sizeof(float));
    cudaMalloc(&b, 32 * sizeof(float));
    cudaMemset(a, 0, 32 * sizeof(float));
    k<<<1, 32>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
