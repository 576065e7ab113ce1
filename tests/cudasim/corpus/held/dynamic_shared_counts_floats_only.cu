// expect: out-of-bounds
// Inclusive scan of doubles with dynamic shared memory whose size was computed for floats.
#include <cstdio>
#include <vector>

template <typename T>
__global__ void scan_rows(T* data, int width) {
    extern __shared__ __align__(16) char raw[];
    T* buf = reinterpret_cast<T*>(raw);
    int t = threadIdx.x, cur = 0;
    buf[t] = t < width ? data[blockIdx.x * width + t] : T(0);  // <- out-of-bounds
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int nxt = cur ^ 1;
        T v = buf[cur * blockDim.x + t];
        if (t >= d) v += buf[cur * blockDim.x + t - d];
        buf[nxt * blockDim.x + t] = v;  // <- out-of-bounds
        __syncthreads();
        cur = nxt;
    }
    if (t < width) data[blockIdx.x * width + t] = buf[cur * blockDim.x + t];
}

int main() {
    const int rows = 4, width = 50, threads = 64;
    std::vector<double> h(rows * width, 1.0);
    double* d;
    cudaMalloc(&d, h.size() * sizeof(double));
    cudaMemcpy(d, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
    scan_rows<<<rows, threads, 2 * threads * sizeof(float)>>>(d, width);
    cudaMemcpy(h.data(), d, h.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", h[width - 1]);
    cudaFree(d);
    return 0;
}
