// expect: misaligned
// Transpose with float4 loads: with 50 columns every odd row begins at 8 modulo 16 bytes.
#include <cstdio>
#include <cstdlib>
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define FETCH_FLOAT4(p) (reinterpret_cast<const float4 *>(&(p))[0])

__global__ void transposeVec4(const float *in, float *out, const int M, const int N) {
    const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col + 3 >= N) return;
    float4 v = FETCH_FLOAT4(in[row * N + col]);  // <- misaligned
    out[(col + 0) * M + row] = v.x;
    out[(col + 1) * M + row] = v.y;
    out[(col + 2) * M + row] = v.z;
    out[(col + 3) * M + row] = v.w;
}

int main() {
    const int M = 22, N = 50;
    float *h = (float *)calloc(M * N, sizeof(float)), *d_in, *d_out;
    cudaMalloc((void **)&d_in, M * N * sizeof(float));
    cudaMalloc((void **)&d_out, M * N * sizeof(float));
    cudaMemcpy(d_in, h, M * N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, M * N * sizeof(float));
    dim3 block(8, 8);
    dim3 grid(CEIL_DIV(N, 8 * 4), CEIL_DIV(M, 8));
    transposeVec4<<<grid, block>>>(d_in, d_out, M, N);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(h, d_out, M * N * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    free(h);
    return 0;
}
