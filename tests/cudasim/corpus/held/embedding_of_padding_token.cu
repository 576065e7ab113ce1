// expect: out-of-bounds
// The padding token is -1, and the look-up does not skip it.
#include <vector>

__global__ void embed(const int* tokens, const float* table, float* out, int dim) {
    int token = tokens[blockIdx.x];
    for (int d = threadIdx.x; d < dim; d += blockDim.x) {
        out[blockIdx.x * dim + d] = table[token * dim + d];  // <- out-of-bounds
    }
}

int main() {
    const int num_tokens = 6, vocab = 8, dim = 24;
    std::vector<int> tokens = {3, 1, 7, 0, -1, -1};
    std::vector<float> table(vocab * dim, 0.5f), out(num_tokens * dim);
    int* d_tokens;
    float *d_table, *d_out;
    cudaMalloc(&d_tokens, num_tokens * sizeof(int));
    cudaMalloc(&d_table, table.size() * sizeof(float));
    cudaMalloc(&d_out, out.size() * sizeof(float));
    cudaMemcpy(d_tokens, tokens.data(), num_tokens * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_table, table.data(), table.size() * sizeof(float), cudaMemcpyHostToDevice);
    embed<<<num_tokens, 32>>>(d_tokens, d_table, d_out, dim);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_tokens);
    cudaFree(d_table);
    cudaFree(d_out);
    return 0;
}
