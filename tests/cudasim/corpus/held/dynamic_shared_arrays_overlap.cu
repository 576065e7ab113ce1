// expect: race
// Sum and sum of squares in one dynamic buffer: the second array begins half a block too early.
#include <cstdio>
#include <vector>

__global__ void sums(const int* in, int2* out, int n) {
    extern __shared__ int buf[];
    int* s = buf;
    int* q = buf + blockDim.x / 2;
    const int t = threadIdx.x;
    const int v = blockIdx.x * blockDim.x + t < n ? in[blockIdx.x * blockDim.x + t] : 0;
    s[t] = v;  // <- race
    q[t] = v * v;  // <- race
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];  // <- race
            q[t] += q[t + d];  // <- race
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = make_int2(s[0], q[0]);
}

int main() {
    const int n = 210, blocks = 4;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i % 7 + 1;
    int* d_in;
    int2 *d_out, out[blocks];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sums<<<blocks, 64, 2 * 64 * sizeof(int)>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%d %d\n", out[0].x, out[0].y);
    cudaFree(d_in);
    cudaFree(d_out);
}
