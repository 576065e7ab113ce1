// expect: race
// Matrix struct with stride and tiles in shared memory; the barrier at the end of the tile loop is forgotten.
#include <cstdio>
#include <cstdlib>

typedef struct {
    int width;
    int height;
    int stride;
    float *elements;
} Matrix;

#define BLOCK_SIZE 8

__device__ float GetElement(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ void SetElement(Matrix A, int row, int col, float value) { A.elements[row * A.stride + col] = value; }
__device__ Matrix GetSubMatrix(Matrix A, int row, int col) {
    Matrix s;
    s.width = BLOCK_SIZE;
    s.height = BLOCK_SIZE;
    s.stride = A.stride;
    s.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return s;
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
    Matrix Csub = GetSubMatrix(C, blockIdx.y, blockIdx.x);
    float Cvalue = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockIdx.y, m), Bsub = GetSubMatrix(B, m, blockIdx.x);
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(Asub, row, col);  // <- race
        Bs[row][col] = GetElement(Bsub, row, col);  // <- race
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e) Cvalue += As[row][e] * Bs[e][col];  // <- race
    }
    SetElement(Csub, row, col, Cvalue);
}

int main() {
    Matrix A{40, 24, 40, nullptr}, B{32, 40, 32, nullptr}, C{32, 24, 32, nullptr};
    float *h = (float *)malloc(40 * 40 * sizeof(float));
    for (int i = 0; i < 40 * 40; i++) h[i] = (float)(i % 3);
    for (Matrix *m : {&A, &B, &C}) {
        size_t size = (size_t)m->width * m->height * sizeof(float);
        cudaMalloc(&m->elements, size);
        cudaMemcpy(m->elements, h, size, cudaMemcpyHostToDevice);
    }
    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE), dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(A, B, C);
    cudaMemcpy(h, C.elements, 32 * 24 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[5]);
    for (Matrix *m : {&A, &B, &C}) cudaFree(m->elements);
    free(h);
    return 0;
}
