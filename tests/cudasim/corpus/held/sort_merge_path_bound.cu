// expect: out-of-bounds
// Merging two sorted lists: the test whether the second list is used up comes after the look at its head.
#include <cstdio>
#include <vector>

__device__ int co_rank(int k, const int* A, int m, const int* B, int n) {
    int i = min(k, m), j = k - i;
    int i_low = max(0, k - n), j_low = max(0, k - m);
    for (;;) {
        if (i > 0 && j < n && A[i - 1] > B[j]) {
            int delta = (i - i_low + 1) >> 1;
            j_low = j;
            j += delta;
            i -= delta;
        } else if (j > 0 && i < m && B[j - 1] >= A[i]) {
            int delta = (j - j_low + 1) >> 1;
            i_low = i;
            i += delta;
            j -= delta;
        } else {
            return i;
        }
    }
}

__global__ void merge_basic(const int* A, int m, const int* B, int n, int* C, int per_thread) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int k = min(tid * per_thread, m + n), k_next = min(k + per_thread, m + n);
    int i = co_rank(k, A, m, B, n), j = k - i;
    for (; k < k_next; ++k) {
        if (A[i] <= B[j] || j >= n)  // <- out-of-bounds
            C[k] = A[i++];  // <- out-of-bounds
        else
            C[k] = B[j++];  // <- out-of-bounds
    }
}

int main() {
    const int m = 133, n = 74;
    std::vector<int> a(m), b(n), c(m + n);
    for (int i = 0; i < m; ++i) a[i] = 3 * i;
    for (int i = 0; i < n; ++i) b[i] = 4 * i + 1;
    int *dA, *dB, *dC;
    cudaMalloc(&dA, m * sizeof(int));
    cudaMalloc(&dB, n * sizeof(int));
    cudaMalloc(&dC, (m + n) * sizeof(int));
    cudaMemcpy(dA, a.data(), m * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    merge_basic<<<3, 24>>>(dA, m, dB, n, dC, 3);
    cudaMemcpy(c.data(), dC, (m + n) * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", c[m + n - 1]);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
