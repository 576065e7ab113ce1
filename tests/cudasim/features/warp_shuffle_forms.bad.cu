// expect: invalid-mask
__global__ void not_named(int* out) {
    // Every lane calls with the mask of the lower half.
    out[threadIdx.x] = __shfl_down_sync(0x0000ffffu, static_cast<int>(threadIdx.x), 1);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    not_named<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
