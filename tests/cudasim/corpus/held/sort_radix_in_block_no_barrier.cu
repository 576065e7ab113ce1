// expect: race
// Block-wide 1-bit radix sort in shared memory: a key for the next bit is fetched before all have been scattered.
#include <vector>
#include <cstdio>

template <typename T>
__device__ T plus_scan(T *x) {
    unsigned i = threadIdx.x, n = blockDim.x;
    for (unsigned offset = 1; offset < n; offset *= 2) {
        T t = 0;
        if (i >= offset) t = x[i - offset];
        __syncthreads();
        if (i >= offset) x[i] = t + x[i];
        __syncthreads();
    }
    return x[i];
}

__global__ void radix_sort(unsigned *values) {
    __shared__ unsigned keys[150], ones[150];
    unsigned i = threadIdx.x, size = blockDim.x;
    keys[i] = values[blockIdx.x * size + i];
    for (int bit = 0; bit < 6; ++bit) {
        unsigned x_i = keys[i];  // <- race
        unsigned p_i = (x_i >> bit) & 1;
        __syncthreads();
        ones[i] = p_i;
        __syncthreads();
        unsigned T_before = plus_scan(ones);
        unsigned T_total = ones[size - 1];
        unsigned F_total = size - T_total;
        if (p_i)
            keys[T_before - 1 + F_total] = x_i;  // <- race
        else
            keys[i - T_before] = x_i;  // <- race
    }
    __syncthreads();
    values[blockIdx.x * size + i] = keys[i];
}

int main() {
    const int blocks = 2, size = 150;
    std::vector<unsigned> v(blocks * size);
    for (size_t i = 0; i < v.size(); ++i) v[i] = i * 29 % 64;
    unsigned *d;
    cudaMalloc(&d, v.size() * sizeof(unsigned));
    cudaMemcpy(d, v.data(), v.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    radix_sort<<<blocks, size>>>(d);
    cudaMemcpy(v.data(), d, v.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%u\n", v[10]);
    cudaFree(d);
}
