// expect: error cudaErrorInvalidValue
__global__ void large(float* out) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = 1;
    out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
    float* out;
    cudaMalloc(&out, 128);
    large<<<1, 32, 64 << 10>>>(out);
    if (cudaGetLastError() != cudaErrorInvalidValue) {
        return 1;
    }
    if (cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) !=
            cudaErrorInvalidValue ||
        cudaGetLastError() != cudaErrorInvalidValue) {
        return 1;
    }
    return cudaFree(out) != cudaSuccess;
}
