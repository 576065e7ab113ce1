// expect: warp-divergence
__global__ void different_operations(int* out) {
    unsigned result;
    if (threadIdx.x % 2) {
        result = __reduce_add_sync(0xffffffffu, threadIdx.x);
    } else {
        result = __reduce_or_sync(0xffffffffu, threadIdx.x);
    }
    out[threadIdx.x] = static_cast<int>(result);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    different_operations<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
