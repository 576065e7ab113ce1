// expect: nothing
// Five transposes of a rectangular matrix against one reference: naive, tile, padded, swizzled, diagonal blocks.
#include <cstdio>
#include <cstdlib>
#include <cstring>

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

__global__ void transposeNaive(float *odata, const float *idata, int w, int h) {
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < w && y + j < h) odata[x * h + y + j] = idata[(y + j) * w + x];
}

template <int PAD, bool DIAGONAL>
__global__ void transposeTile(float *odata, const float *idata, int w, int h) {
    __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
    int bx = blockIdx.x, by = blockIdx.y;
    if (DIAGONAL) {
        int bid = blockIdx.x + gridDim.x * blockIdx.y;
        by = bid % gridDim.y;
        bx = ((bid / gridDim.y) + by) % gridDim.x;
    }
    int x = bx * TILE_DIM + threadIdx.x, y = by * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * w + x];
    __syncthreads();
    x = by * TILE_DIM + threadIdx.x;
    y = bx * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < h && y + j < w) odata[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposeSwizzled(float *odata, const float *idata, int w, int h) {
    __shared__ float tile[TILE_DIM * TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < w && y + j < h)
            tile[(threadIdx.y + j) * TILE_DIM + (threadIdx.x ^ (threadIdx.y + j))] = idata[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < h && y + j < w)
            odata[(y + j) * h + x] = tile[threadIdx.x * TILE_DIM + (threadIdx.x ^ (threadIdx.y + j))];
}

int main() {
    const int w = 107, h = 70;
    const size_t mem_size = w * h * sizeof(float);
    float *h_in = (float *)malloc(mem_size), *h_out = (float *)malloc(mem_size), *gold = (float *)malloc(mem_size);
    for (int j = 0; j < h; j++)
        for (int i = 0; i < w; i++) gold[i * h + j] = h_in[j * w + i] = (float)(j * w + i);
    float *d_in, *d_out;
    cudaMalloc(&d_in, mem_size);
    cudaMalloc(&d_out, mem_size);
    cudaMemcpy(d_in, h_in, mem_size, cudaMemcpyHostToDevice);
    dim3 grid((w + TILE_DIM - 1) / TILE_DIM, (h + TILE_DIM - 1) / TILE_DIM), block(TILE_DIM, BLOCK_ROWS);
    typedef void (*Kernel)(float *, const float *, int, int);
    Kernel kernels[] = {transposeNaive, transposeTile<0, false>, transposeTile<1, false>, transposeSwizzled,
                        transposeTile<1, true>};
    int bad = 0;
    for (Kernel kernel : kernels) {
        cudaMemset(d_out, 0, mem_size);
        kernel<<<grid, block>>>(d_out, d_in, w, h);
        cudaMemcpy(h_out, d_out, mem_size, cudaMemcpyDeviceToHost);
        bad += memcmp(h_out, gold, mem_size) != 0;
    }
    cudaFree(d_in);
    cudaFree(d_out);
    free(h_in);
    free(h_out);
    free(gold);
    if (bad) printf("%d kernels are wrong\n", bad);
    return bad;
}
