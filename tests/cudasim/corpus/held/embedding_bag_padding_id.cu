// expect: out-of-bounds
// Mean of embedding rows: bags are padded with -1, and only the count looks at that.
#include <cuda_runtime.h>
#include <stdio.h>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t status_ = (call);                                                      \
        if (status_ != cudaSuccess)                                                        \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorName(status_));  \
    } while (0)

__global__ void embedding_bag(float* out, const float* table, const int* ids, int bags, int bag_size, int dim) {
    int bag = blockIdx.x;
    int d = threadIdx.x;
    if (d >= dim) return;
    float sum = 0.f;
    int used = 0;
    for (int k = 0; k < bag_size; k++) {
        int id = ids[bag * bag_size + k];
        sum += table[(long)id * dim + d];  // <- out-of-bounds
        used += id >= 0;
    }
    out[bag * dim + d] = used ? sum / used : 0.f;
}

int main(void) {
    const int bags = 5, bag_size = 6, dim = 24, rows = 30;
    std::vector<int> ids(bags * bag_size, -1);
    for (int b = 0; b < bags; b++)
        for (int k = 0; k < 2 + b % 4; k++) ids[b * bag_size + k] = (b * 7 + k * 3) % rows;
    std::vector<float> table(rows * dim, 1.f), out(bags * dim);
    float *d_table, *d_out;
    int* d_ids;
    CHECK(cudaMalloc(&d_table, rows * dim * sizeof(float)));
    CHECK(cudaMalloc(&d_out, bags * dim * sizeof(float)));
    CHECK(cudaMalloc(&d_ids, ids.size() * sizeof(int)));
    CHECK(cudaMemcpy(d_table, table.data(), rows * dim * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_ids, ids.data(), ids.size() * sizeof(int), cudaMemcpyHostToDevice));
    embedding_bag<<<bags, 32>>>(d_out, d_table, d_ids, bags, bag_size, dim);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bags * dim * sizeof(float), cudaMemcpyDeviceToHost));
    cudaFree(d_table);
    cudaFree(d_out);
    cudaFree(d_ids);
    return 0;
}
