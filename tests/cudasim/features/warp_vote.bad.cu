// expect: warp-divergence
__global__ void in_different_places(int* out) {
    unsigned ballot;
    if (threadIdx.x < 16) {
        ballot = __ballot_sync(0xffffffffu, threadIdx.x % 2);
    } else {
        ballot = __ballot_sync(0xffffffffu, 1);
    }
    out[threadIdx.x] = static_cast<int>(ballot);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    in_different_places<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
