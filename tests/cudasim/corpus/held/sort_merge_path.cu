// expect: nothing
// Merge sort whose passes split the work by merge path: each thread finds its diagonal by bisection, then merges a few.
#include <algorithm>
#include <cstdio>
#include <vector>

static constexpr int ITEMS = 7;

template <class T, class Less>
__device__ int diagonal_split(const T* a, int na, const T* b, int nb, int diag, Less less) {
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (less(b[diag - 1 - mid], a[mid])) hi = mid; else lo = mid + 1;
    }
    return lo;
}

template <class T, class Less>
__global__ void merge_pass(const T* src, T* dst, int n, int width, Less less) {
    const int pairs_items = 2 * width;
    const int first = blockIdx.y * pairs_items;
    const T* a = src + first;
    const int na = min(width, n - first);
    const T* b = a + na;
    const int nb = max(0, min(width, n - first - width));
    const int diag = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    if (diag >= na + nb) return;
    int i = diagonal_split(a, na, b, nb, diag, less), j = diag - i;
    for (int k = diag; k < min(diag + ITEMS, na + nb); ++k) {
        bool take_a = j >= nb || (i < na && !less(b[j], a[i]));
        dst[first + k] = take_a ? a[i++] : b[j++];
    }
}

struct ByLowByte {
    __host__ __device__ bool operator()(int x, int y) const { return (x & 255) < (y & 255); }
};

int main() {
    const int n = 613, threads = 32;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 193 % 256) | i << 8;
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int width = 1; width < n; width *= 2) {
        dim3 grid((2 * width + threads * ITEMS - 1) / (threads * ITEMS), (n + 2 * width - 1) / (2 * width));
        merge_pass<<<grid, threads>>>(a, b, n, width, ByLowByte{});
        std::swap(a, b);
    }
    cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    std::stable_sort(h.begin(), h.end(), ByLowByte{});
    if (got != h) { puts("not a stable sort"); return 1; }
    return 0;
}
