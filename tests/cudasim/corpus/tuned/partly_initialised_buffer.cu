// expect: nothing
// Only the first part of a buffer and every other shared word are written; only those are read.
#include <cstdio>
#include <vector>

struct Tagged {
    char tag;     // three bytes of padding follow, which nobody writes
    float value;
};

__global__ void copy_tagged(const int* in, int used, Tagged* out) {
    __shared__ Tagged tagged[64];
    __shared__ int sparse[128];
    int tid = threadIdx.x;
    if (tid < used) {
        tagged[tid].tag = static_cast<char>(in[tid] % 100);
        tagged[tid].value = in[tid] * 0.5f;
        sparse[2 * tid] = in[tid];
    }
    __syncthreads();
    if (tid < used) {
        Tagged copy = tagged[used - 1 - tid];
        copy.value += sparse[2 * tid];
        out[tid] = copy;
    }
}

int main() {
    const int n = 64, used = 41;
    std::vector<int> in(used);
    std::vector<Tagged> out(used);
    for (int i = 0; i < used; ++i) in[i] = i * 9;
    int* d_in;
    Tagged* d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(Tagged));
    cudaMemcpy(d_in, in.data(), used * sizeof(int), cudaMemcpyHostToDevice);
    copy_tagged<<<1, n>>>(d_in, used, d_out);
    cudaMemcpy(out.data(), d_out, used * sizeof(Tagged), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < used; ++i) {
        int other = in[used - 1 - i];
        if (out[i].tag != other % 100 || out[i].value != other * 0.5f + in[i]) {
            printf("out[%d] is %d %f\n", i, out[i].tag, out[i].value);
            return 1;
        }
    }
    return 0;
}
