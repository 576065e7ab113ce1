// expect: warp-divergence invalid-mask deadlock
// Compaction, the counting half: the ballot over all lanes stands inside the branch that only some of them enter.
#include <cstdio>
#include <vector>

__global__ void keep_positive(const float* in, float* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % warpSize;
    const float v = i < n ? in[i] : -1.0f;
    if (v > 0.0f) {
        unsigned keep = __ballot_sync(0xFFFFFFFF, 1);  // <- warp-divergence invalid-mask deadlock
        if (lane == __ffs(keep) - 1) atomicAdd(count, __popc(keep));
        out[i] = v + __popc(keep & ((1u << lane) - 1));
    }
    __syncwarp();  // <- warp-divergence
    if (lane == 0 && v < -0.5f) atomicAdd(count + 1, 1);
}

int main() {
    const int n = 77;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 5) % 3 - 1.0f;
    float *in, *out;
    int* count;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&count, 2 * sizeof(int));
    cudaMemset(out, 0, n * sizeof(float));
    cudaMemset(count, 0, 2 * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    keep_positive<<<2, 64>>>(in, out, count, n);
    int c = 0;
    cudaMemcpy(&c, count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", c);
    cudaFree(in);
    cudaFree(out);
    cudaFree(count);
    return 0;
}
