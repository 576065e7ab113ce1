// verdict: FORBIDDEN_OP
// en: Defines the problem's launcher anew, with a loop of the host.
// zh: 重新定义题目的启动代码，改用主机循环。
#include <cuda_runtime.h>

namespace judge {
class Call;
}

void launch(judge::Call&) {
    for (int i = 0; i < 1000; i++) {
    }
}

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
