// expect: launch
__global__ void turned(float* out) {
    __shared__ float tile[64 * 256];
    tile[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
    float* out;
    cudaMalloc(&out, 256 * sizeof(float));
    turned<<<1, 256>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
