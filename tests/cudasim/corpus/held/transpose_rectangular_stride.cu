// expect: out-of-bounds
// Tiled transpose of a 40 x 90 matrix: the guard of the store still has width and height as in the load.
#include <cstdio>
#include <vector>
#define T 16

__global__ void transpose(const double* __restrict__ A, double* __restrict__ B, int M, int N) {
    __shared__ double s[T][T + 1];
    int r = blockIdx.y * T + threadIdx.y;
    int c = blockIdx.x * T + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = (r < M && c < N) ? A[r * N + c] : 0.0;
    __syncthreads();
    int rt = blockIdx.x * T + threadIdx.y;
    int ct = blockIdx.y * T + threadIdx.x;
    if (rt < N + 1 && ct < M) B[rt * M + ct] = s[threadIdx.x][threadIdx.y];  // <- out-of-bounds
}

int main() {
    const int M = 40, N = 90;
    std::vector<double> a(M * N), b(M * N);
    for (int i = 0; i < M * N; ++i) a[i] = i;
    double *dA, *dB;
    cudaMalloc(&dA, a.size() * sizeof(double));
    cudaMalloc(&dB, b.size() * sizeof(double));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    transpose<<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)>>>(dA, dB, M, N);
    cudaMemcpy(b.data(), dB, b.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g\n", b[1]);
    cudaFree(dA);
    cudaFree(dB);
    return 0;
}
