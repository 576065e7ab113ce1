// expect: nothing
// The same shared bytes hold ints, after a barrier doubles, after another one single bytes.
#include <cstdio>

__global__ void reuse(const int* in, double* out) {
    __shared__ __align__(16) unsigned char raw[64 * sizeof(double)];
    int tid = threadIdx.x;
    int* ints = reinterpret_cast<int*>(raw);
    ints[tid] = in[tid];
    ints[tid + 64] = in[tid] * 2;
    __syncthreads();
    double value = ints[127 - tid] * 0.5;
    __syncthreads();
    double* doubles = reinterpret_cast<double*>(raw);
    doubles[(tid + 5) % 64] = value;
    __syncthreads();
    value = doubles[tid];
    __syncthreads();
    raw[tid] = static_cast<unsigned char>(tid * 3);
    __syncthreads();
    out[tid] = value + raw[63 - tid];
}

int main() {
    int in[64], *d_in;
    double out[64], *d_out;
    for (int i = 0; i < 64; ++i) in[i] = i * i;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    reuse<<<1, 64>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < 64; ++i) {
        double want = in[63 - (i + 59) % 64] + (63 - i) * 3;
        if (out[i] != want) {
            printf("out[%d] is %f, not %f\n", i, out[i], want);
            return 1;
        }
    }
    return 0;
}
