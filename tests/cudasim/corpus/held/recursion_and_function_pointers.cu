// expect: nothing
// A recursive device function (quicksort of a private slice) and calls through a table.
#include <algorithm>
#include <cstdio>

using Op = int (*)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }
__device__ int minus(int a, int b) { return a - b; }

__device__ Op table[3] = {add, larger, minus};

__device__ void quicksort(int* keys, int first, int last) {
    if (first >= last) return;
    int pivot = keys[(first + last) / 2], i = first, j = last;
    while (i <= j) {
        while (keys[i] < pivot) ++i;
        while (keys[j] > pivot) --j;
        if (i <= j) {
            int swap = keys[i];
            keys[i++] = keys[j];
            keys[j--] = swap;
        }
    }
    quicksort(keys, first, j);
    quicksort(keys, i, last);
}

__global__ void sort_slices(int* data, int* folded, int length) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int* slice = data + tid * length;
    quicksort(slice, 0, length - 1);
    Op op = table[tid % 3];
    int value = slice[0];
    for (int i = 1; i < length; ++i) value = op(value, slice[i]);
    folded[tid] = value;
}

int main() {
    const int slices = 20, length = 13, n = slices * length;
    int data[n], sorted[n], folded[slices], *d_data, *d_folded;
    for (int i = 0; i < n; ++i) data[i] = i * 83 % 97;
    cudaMalloc(&d_data, sizeof(data));
    cudaMalloc(&d_folded, sizeof(folded));
    cudaMemcpy(d_data, data, sizeof(data), cudaMemcpyHostToDevice);
    sort_slices<<<2, 10>>>(d_data, d_folded, length);
    cudaMemcpy(sorted, d_data, sizeof(sorted), cudaMemcpyDeviceToHost);
    cudaMemcpy(folded, d_folded, sizeof(folded), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_folded);
    for (int s = 0; s < slices; ++s) {
        int* want = data + s * length;
        std::sort(want, want + length);
        int value = want[0];
        for (int i = 1; i < length; ++i) {
            int x = want[i];
            value = s % 3 == 0 ? value + x : s % 3 == 1 ? std::max(value, x) : value - x;
        }
        if (!std::equal(want, want + length, sorted + s * length) || folded[s] != value) {
            printf("slice %d is wrong: %d, not %d\n", s, folded[s], value);
            return 1;
        }
    }
    return 0;
}
