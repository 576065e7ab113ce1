// expect: nothing
// Mean cross entropy and its gradient: one warp per row, loss summed by atomicAdd.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void cross_entropy(const float* logits, const int* labels, float* grad, float* loss,
                              int rows, int classes) {
    int first = blockIdx.x * blockDim.y + threadIdx.y;
    for (int row = first; row < rows; row += gridDim.x * blockDim.y) {
        const float* x = logits + row * classes;
        float largest = -INFINITY, sum = 0.0f;
        for (int c = threadIdx.x; c < classes; c += 32) largest = fmaxf(largest, x[c]);
        for (int mask = 16; mask > 0; mask /= 2) {
            largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, mask));
        }
        for (int c = threadIdx.x; c < classes; c += 32) sum += expf(x[c] - largest);
        for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
        int label = labels[row];
        for (int c = threadIdx.x; c < classes; c += 32) {
            grad[row * classes + c] = (expf(x[c] - largest) / sum - (c == label)) / rows;
        }
        if (threadIdx.x == 0) atomicAdd(loss, (logf(sum) + largest - x[label]) / rows);
    }
}

int main() {
    const int rows = 13, classes = 45;
    std::vector<float> logits(rows * classes), grad(rows * classes);
    std::vector<int> labels(rows);
    for (int i = 0; i < rows * classes; ++i) logits[i] = (i * 23 % 31) * 0.2f;
    for (int row = 0; row < rows; ++row) labels[row] = row * 7 % classes;
    float *d_logits, *d_grad, *d_loss, loss;
    int* d_labels;
    cudaMalloc(&d_logits, logits.size() * sizeof(float));
    cudaMalloc(&d_grad, grad.size() * sizeof(float));
    cudaMalloc(&d_loss, sizeof(float));
    cudaMalloc(&d_labels, rows * sizeof(int));
    cudaMemset(d_loss, 0, sizeof(float));
    cudaMemcpy(d_logits, logits.data(), logits.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_labels, labels.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
    cross_entropy<<<2, dim3(32, 3)>>>(d_logits, d_labels, d_grad, d_loss, rows, classes);
    cudaMemcpy(grad.data(), d_grad, grad.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&loss, d_loss, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_logits);
    cudaFree(d_grad);
    cudaFree(d_loss);
    cudaFree(d_labels);
    double want = 0.0;
    for (int row = 0; row < rows; ++row) {
        double sum = 0.0;
        for (int c = 0; c < classes; ++c) sum += std::exp(double(logits[row * classes + c]));
        want += (std::log(sum) - logits[row * classes + labels[row]]) / rows;
        for (int c = 0; c < classes; ++c) {
            double g = std::exp(double(logits[row * classes + c])) / sum;
            g = (g - (c == labels[row])) / rows;
            if (std::fabs(g - grad[row * classes + c]) > 1e-5) {
                printf("grad[%d][%d] is %f, not %f\n", row, c, grad[row * classes + c], g);
                return 1;
            }
        }
    }
    if (std::fabs(want - loss) > 1e-4) printf("loss is %f, not %f\n", loss, want);
    return std::fabs(want - loss) > 1e-4;
}
