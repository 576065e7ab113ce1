// expect: nothing
// Token and position embedding, forward with float4 and backward by atomics; many tokens share a row.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

__device__ inline float4 add_float4(const float4& a, const float4& b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__global__ void encoder_forward_kernel3(float4* out, const int* inp, const float4* wte, const float4* wpe, int B, int T, int C) {
    int C4 = C / 4;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int N = B * T * C4;
    if (idx < N) {
        int bt = idx / C4;
        int b = bt / T;
        int t = bt % T;
        int c4 = idx % C4;
        int ix = inp[b * T + t];
        out[b * T * C4 + t * C4 + c4] = add_float4(wte[ix * C4 + c4], wpe[t * C4 + c4]);
    }
}

__global__ void encoder_backward_kernel(float* dwte, float* dwpe, const float* dout, const int* inp, int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T * C) {
        int bt = idx / C, c = idx % C;
        int b = bt / T, t = bt % T;
        int ix = inp[b * T + t];
        const float* dout_btc = dout + b * T * C + t * C + c;
        atomicAdd(dwte + ix * C + c, *dout_btc);
        atomicAdd(dwpe + t * C + c, *dout_btc);
    }
}

struct CudaDeleter {
    void operator()(void* p) const { cudaFree(p); }
};
template <typename T>
using device_ptr = std::unique_ptr<T[], CudaDeleter>;

template <typename T>
device_ptr<T> to_gpu(const std::vector<T>& v) {
    T* p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device_ptr<T>(p);
}

int main() {
    constexpr int B = 3, T = 11, C = 20, V = 13;
    std::mt19937 gen(7);
    std::uniform_real_distribution<float> u(-1, 1);
    std::uniform_int_distribution<int> tok(0, V - 1);
    std::vector<float> wte(V * C), wpe(T * C), dout(B * T * C), out(B * T * C), dwte(V * C, 0.f), dwpe(T * C, 0.f);
    std::vector<int> inp(B * T);
    for (auto* v : {&wte, &wpe, &dout})
        for (float& x : *v) x = u(gen);
    for (int& t : inp) t = tok(gen);
    auto d_wte = to_gpu(wte), d_wpe = to_gpu(wpe), d_dout = to_gpu(dout), d_out = to_gpu(out);
    auto d_dwte = to_gpu(dwte), d_dwpe = to_gpu(dwpe);
    auto d_inp = to_gpu(inp);
    const int block = 48;
    encoder_forward_kernel3<<<(B * T * C / 4 + block - 1) / block, block>>>((float4*)d_out.get(), d_inp.get(), (const float4*)d_wte.get(),
                                                                         (const float4*)d_wpe.get(), B, T, C);
    encoder_backward_kernel<<<(B * T * C + block - 1) / block, block>>>(d_dwte.get(), d_dwpe.get(), d_dout.get(), d_inp.get(), B, T, C);
    cudaMemcpy(out.data(), d_out.get(), out.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(dwte.data(), d_dwte.get(), dwte.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(dwpe.data(), d_dwpe.get(), dwpe.size() * 4, cudaMemcpyDeviceToHost);
    std::vector<double> a(V * C, 0.), p(T * C, 0.);
    int bad = 0;
    for (int bt = 0; bt < B * T; bt++)
        for (int c = 0; c < C; c++) {
            bad += std::fabs(out[bt * C + c] - (wte[inp[bt] * C + c] + wpe[bt % T * C + c])) > 1e-6f;
            a[inp[bt] * C + c] += dout[bt * C + c];
            p[bt % T * C + c] += dout[bt * C + c];
        }
    for (int i = 0; i < V * C; i++) bad += std::fabs(a[i] - dwte[i]) > 1e-4;
    for (int i = 0; i < T * C; i++) bad += std::fabs(p[i] - dwpe[i]) > 1e-4;
    if (bad) std::printf("%d\n", bad);
    return bad != 0;
}
