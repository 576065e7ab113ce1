// expect: nothing
// Gradient of an embedding table: tokens that occur twice meet in atomicAdd.
#include <cstdio>
#include <vector>

__global__ void embedding_grad(const int* tokens, const float* grad_output, float* grad_table,
                               int num_tokens, int dim) {
    int token = blockIdx.x * blockDim.y + threadIdx.y;
    if (token >= num_tokens) return;
    for (int d = threadIdx.x; d < dim; d += blockDim.x) {
        atomicAdd(&grad_table[tokens[token] * dim + d], grad_output[token * dim + d]);
    }
}

int main() {
    const int num_tokens = 60, vocab = 11, dim = 20;
    std::vector<int> tokens(num_tokens);
    std::vector<float> grad_output(num_tokens * dim), table(vocab * dim), want(vocab * dim);
    for (int t = 0; t < num_tokens; ++t) {
        tokens[t] = t * t % vocab;
        for (int d = 0; d < dim; ++d) {
            grad_output[t * dim + d] = (t + d) % 6;
            want[tokens[t] * dim + d] += (t + d) % 6;
        }
    }
    int* d_tokens;
    float *d_grad, *d_table;
    cudaMalloc(&d_tokens, num_tokens * sizeof(int));
    cudaMalloc(&d_grad, grad_output.size() * sizeof(float));
    cudaMalloc(&d_table, table.size() * sizeof(float));
    cudaMemset(d_table, 0, table.size() * sizeof(float));
    cudaMemcpy(d_tokens, tokens.data(), num_tokens * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_grad, grad_output.data(), grad_output.size() * sizeof(float),
               cudaMemcpyHostToDevice);
    embedding_grad<<<9, dim3(16, 7)>>>(d_tokens, d_grad, d_table, num_tokens, dim);
    cudaMemcpy(table.data(), d_table, table.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_tokens);
    cudaFree(d_grad);
    cudaFree(d_table);
    for (int i = 0; i < vocab * dim; ++i) {
        if (table[i] != want[i]) {
            printf("table[%d] is %f, not %f\n", i, table[i], want[i]);
            return 1;
        }
    }
    return 0;
}
