// expect: nothing
// Work-efficient exclusive scan: up-sweep, clear the root, down-sweep; two values per thread.
#include <cstdio>

constexpr int N = 128;

__global__ void scan(const int* in, int* out) {
    __shared__ int tree[N];
    int tid = threadIdx.x;
    tree[2 * tid] = in[2 * tid];
    tree[2 * tid + 1] = in[2 * tid + 1];
    int offset = 1;
    for (int pairs = N / 2; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (tid < pairs) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            tree[right] += tree[left];
        }
        offset *= 2;
    }
    __syncthreads();
    if (tid == 0) tree[N - 1] = 0;
    for (int pairs = 1; pairs < N; pairs *= 2) {
        offset /= 2;
        __syncthreads();
        if (tid < pairs) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            int value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    out[2 * tid] = tree[2 * tid];
    out[2 * tid + 1] = tree[2 * tid + 1];
}

int main() {
    int in[N], out[N], *d_in, *d_out;
    for (int i = 0; i < N; ++i) in[i] = i % 9 - 3;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    scan<<<1, N / 2>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    int sum = 0;
    for (int i = 0; i < N; ++i) {
        if (out[i] != sum) {
            printf("out[%d] is %d, not %d\n", i, out[i], sum);
            return 1;
        }
        sum += in[i];
    }
    return 0;
}
