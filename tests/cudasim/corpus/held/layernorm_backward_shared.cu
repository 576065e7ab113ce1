// expect: nothing
// LayerNorm backward: dbias and dweight are gathered in dynamic shared memory by atomics, then added to global memory.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void layernorm_backward_kernel2(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp,
                                           const float* weight, const float* mean, const float* rstd, int N, int C) {
    extern __shared__ float shared[];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    float* dbias_shared = shared;
    float* dweight_shared = shared + C;
#pragma unroll 4
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        dbias_shared[i] = 0.0f;
        dweight_shared[i] = 0.0f;
    }
    __syncthreads();
    if (idx < N) {
        const float *dout_bt = dout + idx * C, *inp_bt = inp + idx * C;
        float* dinp_bt = dinp + idx * C;
        float mean_bt = mean[idx], rstd_bt = rstd[idx];
        float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
        for (int i = warp.thread_rank(); i < C; i += warp.size()) {
            float norm = (inp_bt[i] - mean_bt) * rstd_bt;
            float dnorm = weight[i] * dout_bt[i];
            dnorm_mean += dnorm;
            dnorm_norm_mean += dnorm * norm;
        }
        dnorm_mean = cg::reduce(warp, dnorm_mean, cg::plus<float>{}) / C;
        dnorm_norm_mean = cg::reduce(warp, dnorm_norm_mean, cg::plus<float>{}) / C;
        for (int i = warp.thread_rank(); i < C; i += warp.size()) {
            float norm = (inp_bt[i] - mean_bt) * rstd_bt;
            float dnorm = weight[i] * dout_bt[i];
            atomicAdd(&dbias_shared[i], dout_bt[i]);
            atomicAdd(&dweight_shared[i], norm * dout_bt[i]);
            float dval = dnorm - dnorm_mean - norm * dnorm_norm_mean;
            dinp_bt[i] += dval * rstd_bt;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        atomicAdd(&dbias[i], dbias_shared[i]);
        atomicAdd(&dweight[i], dweight_shared[i]);
    }
}

struct Dev {
    float* p = nullptr;
    size_t n;
    explicit Dev(const std::vector<float>& h) : n(h.size()) {
        cudaMalloc(&p, n * sizeof(float));
        cudaMemcpy(p, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    }
    ~Dev() { cudaFree(p); }
    Dev(const Dev&) = delete;
    std::vector<float> get() const {
        std::vector<float> h(n);
        cudaMemcpy(h.data(), p, n * sizeof(float), cudaMemcpyDeviceToHost);
        return h;
    }
};

int main() {
    const int N = 23, C = 51;
    std::vector<float> x(N * C), dy(N * C), w(C), m(N), r(N), zero_x(N * C, 0.f), zero_c(C, 0.f);
    for (int i = 0; i < N * C; i++) x[i] = std::cos(i * 0.3f), dy[i] = std::sin(i * 0.7f);
    for (int i = 0; i < C; i++) w[i] = 0.5f + i * 0.01f;
    for (int n = 0; n < N; n++) {
        double s = 0, q = 0;
        for (int c = 0; c < C; c++) s += x[n * C + c];
        for (int c = 0; c < C; c++) q += (x[n * C + c] - s / C) * (x[n * C + c] - s / C);
        m[n] = s / C, r[n] = 1 / std::sqrt(q / C + 1e-5);
    }
    Dev dx(zero_x), dw(zero_c), db(zero_c), dout(dy), inp(x), wd(w), mean(m), rstd(r);
    layernorm_backward_kernel2<<<(N + 3) / 4, 128, 2 * C * sizeof(float)>>>(dx.p, dw.p, db.p, dout.p, inp.p, wd.p, mean.p, rstd.p, N, C);
    auto gx = dx.get(), gw = dw.get(), gb = db.get();
    std::vector<double> ww(C, 0), wb(C, 0);
    int bad = 0;
    for (int n = 0; n < N; n++) {
        double a = 0, b = 0;
        for (int c = 0; c < C; c++) {
            double norm = (x[n * C + c] - m[n]) * r[n], d = w[c] * dy[n * C + c];
            a += d / C, b += d * norm / C;
            wb[c] += dy[n * C + c], ww[c] += norm * dy[n * C + c];
        }
        for (int c = 0; c < C; c++) {
            double norm = (x[n * C + c] - m[n]) * r[n], d = w[c] * dy[n * C + c];
            bad += std::fabs((d - a - norm * b) * r[n] - gx[n * C + c]) > 1e-4;
        }
    }
    for (int c = 0; c < C; c++) bad += std::fabs(ww[c] - gw[c]) > 1e-3 || std::fabs(wb[c] - gb[c]) > 1e-3;
    if (bad) printf("%d wrong\n", bad);
    return bad != 0;
}
