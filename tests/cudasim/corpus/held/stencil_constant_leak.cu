// expect: leak
// Five-point weights in constant memory, ping-pong of two buffers: only the buffer with the result is freed.
#include <cstdio>
#include <cstdlib>
#include <vector>

__constant__ float weight[5];

__global__ void smooth(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
#pragma unroll
    for (int k = -2; k <= 2; ++k) s += weight[k + 2] * in[min(max(i + k, 0), n - 1)];
    out[i] = s;
}

int main(int argc, char** argv) {
    const int n = 321, steps = argc > 1 ? std::atoi(argv[1]) : 7;
    const float w[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
    std::vector<float> h(n, 1.0f);
    cudaMemcpyToSymbol(weight, w, sizeof(w));
    float *front, *back;
    cudaMalloc(&front, n * sizeof(float));  // <- leak
    cudaMalloc(&back, n * sizeof(float));
    cudaMemcpy(front, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; ++s) {
        smooth<<<(n + 127) / 128, 128>>>(front, back, n);
        float* t = front;
        front = back;
        back = t;
    }
    cudaMemcpy(h.data(), front, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(front);
    printf("%g\n", h[n / 2]);
    return 0;
}
