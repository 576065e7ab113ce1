// expect: stack-overflow
__device__ int endless(volatile int* out, int n) {
    volatile int here[64];
    here[n % 64] = n;
    return out[0] == 12345 ? n : endless(out, n + 1) + here[n % 64];
}

__global__ void recurse(int* out) { out[threadIdx.x] = endless(out, 0); }

int main() {
    int* out;
    cudaMalloc(&out, 128);
    cudaMemset(out, 0, 128);
    recurse<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
