// expect: warp-divergence invalid-mask deadlock
// A ballot over all lanes inside a branch; its result is an index afterwards.
__global__ void keep(const int* in, int* out) {
    int lane = threadIdx.x;
    if (in[lane] > 0) {
        unsigned m = __ballot_sync(0xffffffff, 1);  // <- warp-divergence invalid-mask deadlock
        out[__popc(m & ((1u << lane) - 1))] = __shfl_sync(m, lane, __ffs(m) - 1);
    }
    __syncwarp();  // <- warp-divergence
    if (lane == 0) out[31] = 1;
}

int main() {
    int h[32], *a, *b;
    for (int i = 0; i < 32; ++i) h[i] = i % 3;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    keep<<<1, 32>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
