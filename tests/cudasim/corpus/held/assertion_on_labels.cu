// expect: assert
// The kernel asserts what it expects of its input, and one label is out of range.
#include <cassert>
#include <vector>

__global__ void pick(const float* logits, const int* labels, float* out, int rows, int classes) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int label = labels[row];
    assert(label >= 0 && label < classes);  // <- assert
    out[row] = logits[row * classes + label];
}

int main() {
    const int rows = 20, classes = 4;
    std::vector<float> logits(rows * classes, 0.5f), out(rows);
    std::vector<int> labels(rows, 1);
    labels[13] = 4;
    float *d_logits, *d_out;
    int* d_labels;
    cudaMalloc(&d_logits, logits.size() * sizeof(float));
    cudaMalloc(&d_out, rows * sizeof(float));
    cudaMalloc(&d_labels, rows * sizeof(int));
    cudaMemcpy(d_logits, logits.data(), logits.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_labels, labels.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
    pick<<<1, 32>>>(d_logits, d_labels, d_out, rows, classes);
    cudaDeviceSynchronize();
    cudaFree(d_logits);
    cudaFree(d_out);
    cudaFree(d_labels);
    return 0;
}
