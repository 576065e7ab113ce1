// expect: assert
// Probabilities are asserted to sum to one, but the input was never normalised.
#include <cassert>
#include <vector>

__global__ void check(const float* probabilities, int cols) {
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += 32) sum += probabilities[blockIdx.x * cols + i];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    assert(fabsf(sum - 1.0f) < 1e-3f);  // <- assert
}

int main() {
    const int rows = 3, cols = 50;
    std::vector<float> probabilities(rows * cols, 1.0f / cols);
    for (int i = 0; i < cols; ++i) probabilities[2 * cols + i] = 1.0f;
    float* d_probabilities;
    cudaMalloc(&d_probabilities, probabilities.size() * sizeof(float));
    cudaMemcpy(d_probabilities, probabilities.data(), probabilities.size() * sizeof(float),
               cudaMemcpyHostToDevice);
    check<<<rows, 32>>>(d_probabilities, cols);
    cudaDeviceSynchronize();
    cudaFree(d_probabilities);
    return 0;
}
