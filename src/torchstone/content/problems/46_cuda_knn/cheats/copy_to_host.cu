// verdict: FORBIDDEN_OP
// en: Fetches the clouds to the host, which computes; the device only stores the result.
// zh: 把点云取回主机计算，设备只负责存放结果。
#include <cuda_runtime.h>
#include <math_constants.h>

static float host_query[3 * 4096], host_ref[3 * 4096];

extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream) {
    if (B < 0 || M < 0 || N < 0 || K < 1 || K > 32) {
        return cudaErrorInvalidValue;
    }
    cudaMemcpy(host_query, query, B * M * 3 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(host_ref, ref, B * N * 3 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int m = 0; m < B * M; m++) {
        float nearest = CUDART_INF_F;
        int nearest_idx = -1;
        for (int i = 0; i < N; i++) {
            const float x = host_query[3 * m] - host_ref[3 * i];
            if (x * x < nearest) {
                nearest = x * x;
                nearest_idx = i;
            }
        }
        cudaMemcpy(dist + m * K, &nearest, sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(idx + m * K, &nearest_idx, sizeof(int), cudaMemcpyHostToDevice);
    }
    return cudaSuccess;
}
