// expect: nothing
// 7-point stencil on a volume: 3-D blocks of 5 x 3 x 4 threads, 3-D grid, 3-D tile with halo.
#include <cstdio>
#include <vector>

constexpr int BX = 5, BY = 3, BZ = 4;

__global__ void stencil(const int* in, int* out, int nx, int ny, int nz) {
    __shared__ int tile[BZ + 2][BY + 2][BX + 2];
    int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY, z0 = blockIdx.z * BZ;
    int rank = (threadIdx.z * BY + threadIdx.y) * BX + threadIdx.x;
    for (int i = rank; i < (BX + 2) * (BY + 2) * (BZ + 2); i += BX * BY * BZ) {
        int tx = i % (BX + 2), ty = i / (BX + 2) % (BY + 2), tz = i / ((BX + 2) * (BY + 2));
        int x = x0 + tx - 1, y = y0 + ty - 1, z = z0 + tz - 1;
        bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
        tile[tz][ty][tx] = inside ? in[(z * ny + y) * nx + x] : 0;
    }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, tz = threadIdx.z + 1;
    out[(z * ny + y) * nx + x] = tile[tz][ty][tx - 1] + tile[tz][ty][tx + 1] +
                                 tile[tz][ty - 1][tx] + tile[tz][ty + 1][tx] +
                                 tile[tz - 1][ty][tx] + tile[tz + 1][ty][tx] - 6 * tile[tz][ty][tx];
}

int main() {
    const int nx = 12, ny = 7, nz = 9, n = nx * ny * nz;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i * 29 % 101;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    stencil<<<dim3(3, 3, 3), dim3(BX, BY, BZ)>>>(d_in, d_out, nx, ny, nz);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        int x = i % nx, y = i / nx % ny, z = i / (nx * ny), want = -6 * in[i];
        if (x > 0) want += in[i - 1];
        if (x < nx - 1) want += in[i + 1];
        if (y > 0) want += in[i - nx];
        if (y < ny - 1) want += in[i + nx];
        if (z > 0) want += in[i - nx * ny];
        if (z < nz - 1) want += in[i + nx * ny];
        if (out[i] != want) {
            printf("out[%d] is %d, not %d\n", i, out[i], want);
            return 1;
        }
    }
    return 0;
}
