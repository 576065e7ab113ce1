// expect: RAW
__global__ void without_syncwarp(int* out) {
    __shared__ int values[32];
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    out[threadIdx.x] = values[threadIdx.x ^ 1];
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    without_syncwarp<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
