// expect: nothing
// AdamW over a list of tensors in managed memory, hyperparameters in one struct by value, lerp by two fma.
#include <cmath>
#include <cstdio>
#include <cstdint>

__device__ inline float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }

struct AdamWConfig {
    float lr = 1e-2f, beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, weight_decay = 0.1f;
};

template <typename Tp, typename Tg>
__global__ void adamw_kernel2(Tp* params, float* m, float* v, const Tg* grads, int64_t n, AdamWConfig cfg, float c1, float c2) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float grad = static_cast<float>(grads[i]);
    float m_ = m[i], v_ = v[i];
    m_ = lerp(grad, m_, cfg.beta1);
    m[i] = m_;
    v_ = lerp(grad * grad, v_, cfg.beta2);
    v[i] = v_;
    m_ /= c1;
    v_ /= c2;
    params[i] -= cfg.lr * (m_ / (sqrtf(v_) + cfg.eps) + cfg.weight_decay * params[i]);
}

struct Tensor {
    float *w, *g, *m, *v;
    int n;
};

int main() {
    const int sizes[] = {100, 33, 257};
    Tensor* tensors;
    cudaMallocManaged(&tensors, 3 * sizeof(Tensor));
    for (int t = 0; t < 3; ++t) {
        auto& x = tensors[t];
        x.n = sizes[t];
        for (float** p : {&x.w, &x.g, &x.m, &x.v}) {
            cudaMallocManaged(p, x.n * sizeof(float));
            for (int i = 0; i < x.n; ++i) (*p)[i] = 0.f;
        }
        for (int i = 0; i < x.n; ++i) x.w[i] = 1.f - i * 0.01f;
    }
    AdamWConfig cfg;
    double* ref[3];
    double* rm[3];
    double* rv[3];
    for (int t = 0; t < 3; ++t) {
        int n = sizes[t];
        ref[t] = new double[n], rm[t] = new double[n](), rv[t] = new double[n]();
        for (int i = 0; i < n; ++i) ref[t][i] = tensors[t].w[i];
    }
    for (int step = 1; step <= 4; ++step) {
        float c1 = 1.f - powf(cfg.beta1, step), c2 = 1.f - powf(cfg.beta2, step);
        for (int t = 0; t < 3; ++t) {
            auto [w, g, m, v, n] = tensors[t];
            for (int i = 0; i < n; ++i) g[i] = std::sin(step + i * 0.5f);
            adamw_kernel2<<<(n + 63) / 64, 64>>>(w, m, v, g, n, cfg, c1, c2);
            for (int i = 0; i < n; ++i) {
                double gr = std::sin(step + i * 0.5f);
                rm[t][i] = 0.9 * rm[t][i] + 0.1 * gr;
                rv[t][i] = 0.999 * rv[t][i] + 0.001 * gr * gr;
                ref[t][i] -= 1e-2 * (rm[t][i] / c1 / (std::sqrt(rv[t][i] / c2) + 1e-8) + 0.1 * ref[t][i]);
            }
            cudaDeviceSynchronize();
        }
    }
    int bad = 0;
    for (int t = 0; t < 3; ++t) {
        for (int i = 0; i < sizes[t]; ++i) bad += std::fabs(tensors[t].w[i] - ref[t][i]) > 1e-4;
        delete[] ref[t];
        delete[] rm[t];
        delete[] rv[t];
        cudaFree(tensors[t].w), cudaFree(tensors[t].g), cudaFree(tensors[t].m), cudaFree(tensors[t].v);
    }
    cudaFree(tensors);
    if (bad) printf("%d bad\n", bad);
    return bad != 0;
}
