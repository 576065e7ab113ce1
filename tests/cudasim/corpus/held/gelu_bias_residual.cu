// expect: nothing
// out = residual + act(x + bias), the activation is a policy class; an aligned body of float4 and a scalar tail.
#include <cmath>
#include <cstdio>
#include <functional>
#include <type_traits>
#include <vector>

struct GeluTanh {
    static constexpr float kSqrt2OverPi = 0.7978845608028654f;
    __host__ __device__ __forceinline__ float operator()(float x) const {
        float cube = 0.044715f * x * x * x;
        return 0.5f * x * (1.0f + tanhf(kSqrt2OverPi * (x + cube)));
    }
};
struct GeluErf {
    __host__ __device__ float operator()(float x) const { return 0.5f * x * (1.f + erff(x * 0.70710678f)); }
};
struct LeakyRelu {
    float slope;
    __host__ __device__ float operator()(float x) const { return x > 0 ? x : slope * x; }
};

template <class Act>
class FusedBiasAct {
  public:
    FusedBiasAct(Act act, int channels) : act_(act), channels_(channels) {}
    __device__ float apply(float x, const float* __restrict__ bias, size_t i) const { return act_(x + __ldg(bias + i % channels_)); }
    __device__ float4 apply4(float4 v, const float* __restrict__ bias, size_t i) const {
        return make_float4(apply(v.x, bias, i), apply(v.y, bias, i + 1), apply(v.z, bias, i + 2), apply(v.w, bias, i + 3));
    }
    Act act_;

  private:
    int channels_;
};

__device__ inline float4 operator+(const float4& a, const float4& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

template <class Fused, bool HasResidual>
__global__ void fused_kernel(float* out, const float* x, const float* bias, const float* residual, size_t n, Fused fused) {
    const size_t stride = size_t(blockDim.x) * gridDim.x;
    const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t n4 = n / 4;
    for (size_t i = first; i < n4; i += stride) {
        float4 v = fused.apply4(reinterpret_cast<const float4*>(x)[i], bias, 4 * i);
        if constexpr (HasResidual) v = v + reinterpret_cast<const float4*>(residual)[i];
        reinterpret_cast<float4*>(out)[i] = v;
    }
    for (size_t i = 4 * n4 + first; i < n; i += stride) {
        float v = fused.apply(x[i], bias, i);
        if constexpr (HasResidual) v += residual[i];
        out[i] = v;
    }
}

template <class Act>
int run(Act act, bool with_residual) {
    const int rows = 13, channels = 51;
    const size_t n = rows * channels;
    std::vector<float> x(n), bias(channels), res(n), out(n);
    for (size_t i = 0; i < n; ++i) x[i] = 3.f * std::sin(float(i)), res[i] = std::cos(float(i));
    for (int i = 0; i < channels; ++i) bias[i] = i * 0.02f - 0.5f;
    float *dx, *db, *dr = nullptr, *dout;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&db, channels * sizeof(float));
    cudaMalloc(&dout, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, bias.data(), channels * sizeof(float), cudaMemcpyHostToDevice);
    FusedBiasAct<Act> fused(act, channels);
    if (with_residual) {
        cudaMalloc(&dr, n * sizeof(float));
        cudaMemcpy(dr, res.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        fused_kernel<FusedBiasAct<Act>, true><<<3, 64>>>(dout, dx, db, dr, n, fused);
    } else {
        fused_kernel<FusedBiasAct<Act>, false><<<3, 64>>>(dout, dx, db, nullptr, n, fused);
    }
    cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dx), cudaFree(db), cudaFree(dr), cudaFree(dout);
    int bad = 0;
    for (size_t i = 0; i < n; ++i) {
        float want = act(x[i] + bias[i % channels]) + (with_residual ? res[i] : 0.f);
        if (std::fabs(want - out[i]) > 1e-5f) ++bad;
    }
    return bad;
}

int main() {
    int bad = run(GeluTanh{}, true) + run(GeluErf{}, false) + run(LeakyRelu{0.1f}, true) + run(LeakyRelu{0.2f}, false);
    if (bad) printf("%d elements differ\n", bad);
    return bad ? 1 : 0;
}
