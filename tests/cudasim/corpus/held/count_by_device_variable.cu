// expect: nothing
// A device variable is reset by one launch, counted up by the next, read by the third.
#include <cstdio>
#include <vector>

__device__ int counter;

__global__ void reset() { counter = 0; }

__global__ void count(const int* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] == 3) atomicAdd(&counter, 1);
}

__global__ void publish(int* out) { *out = counter; }

int main() {
    const int n = 90, m = 1;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 3 % 7;
    for (int i = 0; i < n; ++i) want[0] += in[i] == 3;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reset<<<1, 1>>>();
    count<<<3, 32>>>(d_in, n);
    publish<<<1, 1>>>(d_out);
    cudaDeviceSynchronize();
    cudaMemcpy(out.data(), d_out, m * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < m; ++i) {
        if (out[i] != want[i]) {
            printf("out[%d] is %d, not %d\n", i, out[i], want[i]);
            return 1;
        }
    }
    return 0;
}
