// expect: uninitialized
// One allocation for both moments, but the memset counts elements instead of bytes.
#include <cstdio>
#include <vector>

struct State {
    float* m;
    float* v;
};

__global__ void adam(float* w, const float* g, State s, int n, float lr) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float m = 0.9f * s.m[i] + 0.1f * g[i];  // <- uninitialized
        float v = 0.99f * s.v[i] + 0.01f * g[i] * g[i];  // <- uninitialized
        s.m[i] = m;
        s.v[i] = v;
        w[i] -= lr * m * rsqrtf(v + 1e-8f);
    }
}

int main() {
    const int n = 321;
    std::vector<float> host(n, 0.5f);
    float *w, *g, *moments;
    cudaMalloc(&w, n * sizeof(float));
    cudaMalloc(&g, n * sizeof(float));
    cudaMalloc(&moments, 2 * n * sizeof(float));
    cudaMemcpy(w, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(g, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(moments, 0, 2 * n);
    State s{moments, moments + n};
    for (int step = 0; step < 3; ++step) adam<<<2, 64>>>(w, g, s, n, 1e-3f);
    cudaMemcpy(host.data(), w, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[n - 1]);
    cudaFree(w);
    cudaFree(g);
    cudaFree(moments);
    return 0;
}
