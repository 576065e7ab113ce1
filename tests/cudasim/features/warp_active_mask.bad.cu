// expect: invalid-mask
__global__ void mask_of_before(int* out) {
    unsigned mask = 0;
    if (threadIdx.x < 8) {
        mask = __activemask();
    }
    // Those that did not ask name nobody, not even themselves.
    out[threadIdx.x] = __any_sync(mask, threadIdx.x == 3);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    mask_of_before<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
