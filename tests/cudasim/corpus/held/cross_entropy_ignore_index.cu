// expect: out-of-bounds
// Negative log likelihood: the label -100 (ignore) is looked up all the same.
#include <cstdio>
#include <vector>

__global__ void nll_forward(const float* log_probs, const long long* labels, float* loss, int* count, int n, int classes) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const long long label = labels[i];
        float picked = log_probs[i * classes + label];  // <- out-of-bounds
        if (label >= 0) {
            atomicAdd(loss, -picked);
            atomicAdd(count, 1);
        }
    }
}

int main() {
    const int n = 11, classes = 9;
    std::vector<float> lp(n * classes, -2.197f);
    std::vector<long long> labels(n);
    for (int i = 0; i < n; ++i) labels[i] = i % 4 == 1 ? -100 : i % classes;
    float *d_lp, *d_loss;
    long long* d_labels;
    int* d_count;
    cudaMalloc(&d_lp, lp.size() * sizeof(float));
    cudaMalloc(&d_loss, sizeof(float));
    cudaMalloc(&d_count, sizeof(int));
    cudaMalloc(&d_labels, n * sizeof(long long));
    cudaMemset(d_loss, 0, sizeof(float));
    cudaMemset(d_count, 0, sizeof(int));
    cudaMemcpy(d_lp, lp.data(), lp.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_labels, labels.data(), n * sizeof(long long), cudaMemcpyHostToDevice);
    nll_forward<<<2, 4>>>(d_lp, d_labels, d_loss, d_count, n, classes);
    float loss = 0;
    int count = 0;
    cudaMemcpy(&loss, d_loss, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%f\n", loss / (count ? count : 1));
    cudaFree(d_lp);
    cudaFree(d_loss);
    cudaFree(d_count);
    cudaFree(d_labels);
    return 0;
}
