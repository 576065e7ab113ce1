// expect: race
// Gradient of an embedding table with a plain += : tokens that occur twice lose a share.
#include <vector>

__global__ void embedding_grad(const int* tokens, const float* grad_output, float* table, int dim) {
    for (int d = threadIdx.x; d < dim; d += blockDim.x) {
        table[tokens[blockIdx.x] * dim + d] += grad_output[blockIdx.x * dim + d];  // <- race
    }
}

int main() {
    const int num_tokens = 12, vocab = 5, dim = 40;
    std::vector<int> tokens(num_tokens);
    std::vector<float> grad(num_tokens * dim, 1.0f), table(vocab * dim);
    for (int t = 0; t < num_tokens; ++t) tokens[t] = t % vocab;
    int* d_tokens;
    float *d_grad, *d_table;
    cudaMalloc(&d_tokens, num_tokens * sizeof(int));
    cudaMalloc(&d_grad, grad.size() * sizeof(float));
    cudaMalloc(&d_table, table.size() * sizeof(float));
    cudaMemset(d_table, 0, table.size() * sizeof(float));
    cudaMemcpy(d_tokens, tokens.data(), num_tokens * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_grad, grad.data(), grad.size() * sizeof(float), cudaMemcpyHostToDevice);
    embedding_grad<<<num_tokens, 32>>>(d_tokens, d_grad, d_table, dim);
    cudaMemcpy(table.data(), d_table, table.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_tokens);
    cudaFree(d_grad);
    cudaFree(d_table);
    return 0;
}
