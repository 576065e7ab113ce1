// expect: host-pointer
// The launch is given the address of the pointer variable, cast away by a void*, as the interface of the helper wants one.
#include <cstdio>
#include <vector>

__global__ void square(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * x[i];  // <- host-pointer
}

static void launch_square(void* buffer, int n) { square<<<(n + 31) / 32, 32>>>(static_cast<float*>(buffer), n); }

int main() {
    const int n = 70;
    std::vector<float> h(n, 3.0f);
    float* d = nullptr;
    cudaMalloc((void**)&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    launch_square(&d, n);
    cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(d);
    return 0;
}
