// expect: nothing
// In-place transpose: a one-dimensional grid of tile pairs under the diagonal, found from the block's number by sqrt.
#include <cstdio>
#include <vector>

constexpr int TILE = 16;

__global__ void transpose_pairs(short* m, int n, size_t pitch_bytes) {
    __shared__ short a[TILE][TILE + 2], b[TILE][TILE + 2];
    int row = static_cast<int>((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) * 0.5f);
    while ((row + 1) * (row + 2) / 2 <= static_cast<int>(blockIdx.x)) ++row;
    while (row * (row + 1) / 2 > static_cast<int>(blockIdx.x)) --row;
    const int col = blockIdx.x - row * (row + 1) / 2;
    auto at = [=](int y, int x) -> short& {
        return reinterpret_cast<short*>(reinterpret_cast<char*>(m) + y * pitch_bytes)[x];
    };
    const int x0 = col * TILE, y0 = row * TILE, tx = threadIdx.x, ty = threadIdx.y;
    const bool in_a = y0 + ty < n && x0 + tx < n, in_b = x0 + ty < n && y0 + tx < n;
    if (in_a) a[ty][tx] = at(y0 + ty, x0 + tx);
    if (in_b) b[ty][tx] = at(x0 + ty, y0 + tx);
    __syncthreads();
    if (in_a) at(y0 + ty, x0 + tx) = b[tx][ty];
    if (in_b && row != col) at(x0 + ty, y0 + tx) = a[tx][ty];
}

int main() {
    const int n = 75, tiles = (n + TILE - 1) / TILE;
    std::vector<short> h(n * n), out(n * n);
    for (int i = 0; i < n * n; ++i) h[i] = static_cast<short>(i);
    short* d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, n * sizeof(short), n);
    cudaMemcpy2D(d, pitch, h.data(), n * sizeof(short), n * sizeof(short), n, cudaMemcpyHostToDevice);
    transpose_pairs<<<tiles * (tiles + 1) / 2, dim3(TILE, TILE)>>>(d, n, pitch);
    cudaMemcpy2D(out.data(), n * sizeof(short), d, pitch, n * sizeof(short), n, cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
            if (out[y * n + x] != h[x * n + y]) {
                printf("(%d, %d) is %d\n", y, x, out[y * n + x]);
                return 1;
            }
    return 0;
}
