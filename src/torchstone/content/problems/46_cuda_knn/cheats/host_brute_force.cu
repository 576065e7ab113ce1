// verdict: OOB
// en: The host walks over pointers of the device; nothing is launched.
// zh: 让主机直接遍历设备指针，根本不启动核函数。
#include <cuda_runtime.h>
#include <math_constants.h>

extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream) {
    if (B < 0 || M < 0 || N < 0 || K < 1 || K > 32) {
        return cudaErrorInvalidValue;
    }
    cudaStreamSynchronize(stream);
    for (int row = 0; row < B * M; row++) {
        const int b = row / M, num_points = ref_len ? ref_len[b] : N;
        float* const best = dist + row * K;
        for (int k = 0; k < K; k++) {
            best[k] = CUDART_INF_F;
            idx[row * K + k] = -1;
        }
        for (int i = 0; i < num_points; i++) {
            float d = 0.0f;
            for (int c = 0; c < 3; c++) {
                const float difference = query[row * 3 + c] - ref[(b * N + i) * 3 + c];
                d += difference * difference;
            }
            int k = K;
            for (; k > 0 && best[k - 1] > d; k--) {
                if (k < K) {
                    best[k] = best[k - 1];
                    idx[row * K + k] = idx[row * K + k - 1];
                }
            }
            if (k < K) {
                best[k] = d;
                idx[row * K + k] = i;
            }
        }
    }
    return cudaSuccess;
}
