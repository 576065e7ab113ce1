// expect: nothing
// One dynamic shared allocation carved into doubles, floats, ints and bytes of a run-time size.
#include <cstdio>
#include <vector>

__global__ void weighted(const float* in, const int* index, double* out, int n) {
    extern __shared__ __align__(16) unsigned char pool[];
    double* sums = reinterpret_cast<double*>(pool);
    float* values = reinterpret_cast<float*>(sums + n);
    int* order = reinterpret_cast<int*>(values + n);
    unsigned char* odd = reinterpret_cast<unsigned char*>(order + n);
    int tid = threadIdx.x;
    if (tid < n) {
        values[tid] = in[tid];
        order[tid] = index[tid];
        odd[tid] = index[tid] & 1;
    }
    __syncthreads();
    if (tid < n) {
        int from = order[tid];
        sums[tid] = odd[from] ? values[from] * 2.0 : values[from] + 1.0;
    }
    __syncthreads();
    if (tid < n) out[tid] = sums[n - 1 - tid];
}

int main() {
    const int n = 37;
    std::vector<float> in(n);
    std::vector<int> index(n);
    std::vector<double> out(n);
    for (int i = 0; i < n; ++i) {
        in[i] = i * 0.25f;
        index[i] = i * 10 % n;
    }
    float* d_in;
    int* d_index;
    double* d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_index, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(double));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_index, index.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    size_t bytes = n * (sizeof(double) + sizeof(float) + sizeof(int) + 1);
    weighted<<<1, 64, bytes>>>(d_in, d_index, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_index);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        int from = index[n - 1 - i];
        double want = index[from] & 1 ? in[from] * 2.0 : in[from] + 1.0;
        if (out[i] != want) {
            printf("out[%d] is %f, not %f\n", i, out[i], want);
            return 1;
        }
    }
    return 0;
}
