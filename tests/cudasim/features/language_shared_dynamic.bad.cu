// expect: out-of-bounds
__global__ void overrun(float* out) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1024];
}

int main() {
    float* out;
    cudaMalloc(&out, 1024 * sizeof(float));
    overrun<<<1, 1024, 1024 * sizeof(float)>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
