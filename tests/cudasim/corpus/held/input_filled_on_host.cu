// expect: device-pointer
// The host fills the device buffer in a loop of its own, without a copy.
#include <vector>

__global__ void square(float* x, int n) {
    int i = threadIdx.x;
    if (i < n) x[i] *= x[i];
}

int main() {
    const int n = 25;
    std::vector<float> out(n);
    float* d_x;
    cudaMalloc(&d_x, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        d_x[i] = i * 0.5f;  // <- device-pointer
    }
    square<<<1, 32>>>(d_x, n);
    cudaMemcpy(out.data(), d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    return 0;
}
