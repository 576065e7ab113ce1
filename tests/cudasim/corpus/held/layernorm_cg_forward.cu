// expect: nothing
// LayerNorm forward in the manner of a GPT training loop: a warp per token, mean and rstd are kept where wanted.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

__global__ void layernorm_forward_kernel3(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                          const float* __restrict__ inp, const float* __restrict__ weight,
                                          const float* __restrict__ bias, int N, int C) {
    namespace cg = cooperative_groups;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) {
        return;
    }
    const float* x = inp + idx * C;
    float sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float m = sum / C;
    if (warp.thread_rank() == 0 && mean != nullptr) __stcs(mean + idx, m);
    sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        float diff = x[i] - m;
        sum += diff * diff;
    }
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float s = rsqrtf(sum / C + 1e-5f);
    if (warp.thread_rank() == 0 && rstd != nullptr) __stcs(rstd + idx, s);
    float* o = out + idx * C;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}

static float* make_random_float(size_t N) {
    float* arr = (float*)malloc(N * sizeof(float));
    for (size_t i = 0; i < N; i++) arr[i] = ((float)rand() / RAND_MAX) * 2.0f - 1.0f;
    return arr;
}

int main(int argc, const char** argv) {
    srand(0);
    int B = 3, T = 7, C = 77, N = B * T;
    float *inp = make_random_float(N * C), *weight = make_random_float(C), *bias = make_random_float(C);
    float *out = (float*)malloc(N * C * 4), *mean = (float*)malloc(N * 4), *rstd = (float*)malloc(N * 4);
    float* params;  // all parameters and activations of the layer come from one allocation
    size_t sizes[] = {(size_t)N * C, (size_t)C, (size_t)C, (size_t)N * C, (size_t)N, (size_t)N}, total = 0;
    for (size_t s : sizes) total += s;
    cudaMalloc(&params, total * sizeof(float));
    float** ptrs[6];
    float *d_inp, *d_w, *d_b, *d_out, *d_mean, *d_rstd;
    ptrs[0] = &d_inp, ptrs[1] = &d_w, ptrs[2] = &d_b, ptrs[3] = &d_out, ptrs[4] = &d_mean, ptrs[5] = &d_rstd;
    float* it = params;
    for (int i = 0; i < 6; i++) {
        *ptrs[i] = it;
        it += sizes[i];
    }
    cudaMemcpy(d_inp, inp, N * C * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, weight, C * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, bias, C * 4, cudaMemcpyHostToDevice);
    const int block_size = 128;
    layernorm_forward_kernel3<<<(N * 32 + block_size - 1) / block_size, block_size>>>(d_out, d_mean, d_rstd, d_inp, d_w, d_b, N, C);
    cudaMemcpy(mean, d_mean, N * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(rstd, d_rstd, N * 4, cudaMemcpyDeviceToHost);
    layernorm_forward_kernel3<<<(N * 32 + 31) / 32, 32>>>(d_out, nullptr, nullptr, d_inp, d_w, d_b, N, C);
    cudaMemcpy(out, d_out, N * C * 4, cudaMemcpyDeviceToHost);
    cudaFree(params);
    int status = 0;
    for (int n = 0; n < N; n++) {
        double m = 0, v = 0;
        for (int c = 0; c < C; c++) m += inp[n * C + c];
        m /= C;
        for (int c = 0; c < C; c++) v += (inp[n * C + c] - m) * (inp[n * C + c] - m);
        double r = 1.0 / sqrt(v / C + 1e-5);
        if (fabs(m - mean[n]) > 1e-5 || fabs(r - rstd[n]) > 1e-4) status = 1;
        for (int c = 0; c < C; c++)
            if (fabs((inp[n * C + c] - m) * r * weight[c] + bias[c] - out[n * C + c]) > 1e-4) status = 1;
    }
    if (status) printf("not ok\n");
    free(inp); free(weight); free(bias); free(out); free(mean); free(rstd);
    return status;
}
