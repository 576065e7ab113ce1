// expect: race
// Work-efficient scan: the results are read right after the down-sweep.
#include <vector>

constexpr int N = 128;

__global__ void scan(const int* in, int* out) {
    __shared__ int tree[N];
    int tid = threadIdx.x, offset = 1;
    tree[2 * tid] = in[2 * tid];
    tree[2 * tid + 1] = in[2 * tid + 1];
    for (int pairs = N / 2; pairs > 0; pairs /= 2, offset *= 2) {
        __syncthreads();
        if (tid < pairs) tree[offset * (2 * tid + 2) - 1] += tree[offset * (2 * tid + 1) - 1];
    }
    __syncthreads();
    if (tid == 0) tree[N - 1] = 0;
    for (int pairs = 1; pairs < N; pairs *= 2) {
        offset /= 2;
        __syncthreads();
        if (tid < pairs) {
            int left = offset * (2 * tid + 1) - 1, right = offset * (2 * tid + 2) - 1;
            int value = tree[left];
            tree[left] = tree[right];  // <- race
            tree[right] += value;      // <- race
        }
    }
    out[tid] = tree[tid];                  // <- race
    out[tid + N / 2] = tree[tid + N / 2];  // <- race
}

int main() {
    std::vector<int> in(N, 1), out(N);
    int *d_in, *d_out;
    cudaMalloc(&d_in, N * sizeof(int));
    cudaMalloc(&d_out, N * sizeof(int));
    cudaMemcpy(d_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, N / 2>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, N * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
