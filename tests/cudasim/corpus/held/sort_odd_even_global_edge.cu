// expect: out-of-bounds
// Odd-even transposition sort, one launch per phase: the odd phase forgets that the last element has no partner.
#include <stdio.h>
#include <stdlib.h>

__global__ void oddEvenPhase(int *a, int n, int phase)
{
    int idx = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
    if (idx < n) {
        int left = a[idx];
        int right = a[idx + 1];  // <- out-of-bounds
        if (left > right) {
            a[idx] = right;
            a[idx + 1] = left;  // <- out-of-bounds
        }
    }
}

int main(int argc, char *argv[])
{
    int n = (argc == 2) ? atoi(argv[1]) : 50;
    int *h = (int *)malloc(n * sizeof(int)), *d;
    srand(3);
    for (int i = 0; i < n; i++) h[i] = rand() % 1000;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    for (int p = 0; p < n; p++) oddEvenPhase<<<2, 16>>>(d, n, p & 1);
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(d);
    free(h);
    return 0;
}
