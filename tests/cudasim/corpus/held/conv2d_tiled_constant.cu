// expect: nothing
// 2-D convolution, the book's version: filter in constant memory, input tile with halo, blocks of the input's size.
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FILTER_RADIUS 2
#define IN_TILE_DIM 16
#define OUT_TILE_DIM ((IN_TILE_DIM) - 2 * (FILTER_RADIUS))

__constant__ float F_c[2 * FILTER_RADIUS + 1][2 * FILTER_RADIUS + 1];

__global__ void convolution_tiled_2D_const_mem_kernel(float* N, float* P, int width, int height) {
    int col = blockIdx.x * OUT_TILE_DIM + threadIdx.x - FILTER_RADIUS;
    int row = blockIdx.y * OUT_TILE_DIM + threadIdx.y - FILTER_RADIUS;
    __shared__ float N_s[IN_TILE_DIM][IN_TILE_DIM];
    if (row >= 0 && row < height && col >= 0 && col < width) {
        N_s[threadIdx.y][threadIdx.x] = N[row * width + col];
    } else {
        N_s[threadIdx.y][threadIdx.x] = 0.0;
    }
    __syncthreads();
    int tileCol = threadIdx.x - FILTER_RADIUS;
    int tileRow = threadIdx.y - FILTER_RADIUS;
    if (col >= 0 && col < width && row >= 0 && row < height) {
        if (tileCol >= 0 && tileCol < OUT_TILE_DIM && tileRow >= 0 && tileRow < OUT_TILE_DIM) {
            float Pvalue = 0.0f;
            for (int fRow = 0; fRow < 2 * FILTER_RADIUS + 1; fRow++) {
                for (int fCol = 0; fCol < 2 * FILTER_RADIUS + 1; fCol++) {
                    Pvalue += F_c[fRow][fCol] * N_s[tileRow + fRow][tileCol + fCol];
                }
            }
            P[row * width + col] = Pvalue;
        }
    }
}

int main() {
    int width = 41, height = 29;
    float F_h[2 * FILTER_RADIUS + 1][2 * FILTER_RADIUS + 1];
    float* N_h = (float*)malloc(width * height * sizeof(float));
    float* P_h = (float*)malloc(width * height * sizeof(float));
    for (int i = 0; i < 25; i++) (&F_h[0][0])[i] = (i % 7) * 0.1f - 0.2f;
    for (int i = 0; i < width * height; i++) N_h[i] = (i * 31 % 17) * 0.5f;
    float *N_d, *P_d;
    cudaMalloc((void**)&N_d, width * height * sizeof(float));
    cudaMalloc((void**)&P_d, width * height * sizeof(float));
    cudaMemcpy(N_d, N_h, width * height * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(F_c, F_h, (2 * FILTER_RADIUS + 1) * (2 * FILTER_RADIUS + 1) * sizeof(float));
    dim3 dimBlock(IN_TILE_DIM, IN_TILE_DIM, 1);
    dim3 dimGrid(ceil(width / (float)OUT_TILE_DIM), ceil(height / (float)OUT_TILE_DIM), 1);
    convolution_tiled_2D_const_mem_kernel<<<dimGrid, dimBlock>>>(N_d, P_d, width, height);
    cudaMemcpy(P_h, P_d, width * height * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(N_d);
    cudaFree(P_d);
    int bad = 0;
    for (int r = 0; r < height; r++)
        for (int c = 0; c < width; c++) {
            float v = 0;
            for (int y = -2; y <= 2; y++)
                for (int x = -2; x <= 2; x++)
                    if (r + y >= 0 && r + y < height && c + x >= 0 && c + x < width) v += F_h[y + 2][x + 2] * N_h[(r + y) * width + c + x];
            if (fabsf(v - P_h[r * width + c]) > 1e-3f) bad = 1;
        }
    free(N_h);
    free(P_h);
    if (bad) printf("wrong\n");
    return bad;
}
