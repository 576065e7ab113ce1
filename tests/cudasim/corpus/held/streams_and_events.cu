// expect: nothing
// Two streams fill two halves; a third step in the first stream waits for the second's event.
#include <cstdio>

__global__ void fill(int* data, int n, int base) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = base + i;
}

__global__ void join(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[n - 1 - i];
}

int main() {
    const int n = 90;
    int *d_a, *d_b, *d_out, out[n];
    cudaMalloc(&d_a, n * sizeof(int));
    cudaMalloc(&d_b, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaStream_t first, second;
    cudaEvent_t filled, done;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&filled);
    cudaEventCreate(&done);
    fill<<<3, 32, 0, first>>>(d_a, n, 10);
    fill<<<3, 32, 0, second>>>(d_b, n, 500);
    cudaEventRecord(filled, second);
    cudaStreamWaitEvent(first, filled, 0);
    join<<<3, 32, 0, first>>>(d_a, d_b, d_out, n);
    cudaEventRecord(done, first);
    cudaEventSynchronize(done);
    cudaMemcpyAsync(out, d_out, sizeof(out), cudaMemcpyDeviceToHost, first);
    cudaStreamSynchronize(first);
    cudaEventDestroy(filled);
    cudaEventDestroy(done);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        if (out[i] != (10 + i) * (500 + n - 1 - i)) {
            printf("out[%d] is %d\n", i, out[i]);
            return 1;
        }
    }
    return 0;
}
