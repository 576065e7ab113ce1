// verdict: WA value
// en: Computes nothing and prints that all is well.
// zh: 什么也不算，只打印“一切正确”。
#include <cuda_runtime.h>

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    if (threadIdx.x == 0) {
        printf("{\"verdict\": \"AC\", \"failed_groups\": []}\n");
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
