// expect: nothing
// Causal softmax with scale: each warp takes a row of the (B*NH, T, T) scores, four columns at a time, the last row first.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__device__ float& vec_at(float4& vec, int index) { return reinterpret_cast<float*>(&vec)[index]; }
__device__ float vec_at(const float4& vec, int index) { return reinterpret_cast<const float*>(&vec)[index]; }

__global__ void softmax_forward_kernel5(float* out, float inv_temperature, const float* inp, int N, int T) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = (gridDim.x - blockIdx.x - 1) * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N * T) return;
    int own_pos = idx % T;
    int pos_by_4 = own_pos / 4;
    const float* x = inp + idx * T;
    float maxval = -INFINITY, sumval = 0.0f;
    const float4* x_vec = reinterpret_cast<const float4*>(x);
    for (int i = warp.thread_rank(); i < pos_by_4; i += warp.size()) {
        float4 v = x_vec[i];
        float old_maxval = maxval;
        for (int k = 0; k < 4; ++k) maxval = fmaxf(maxval, vec_at(v, k));
        sumval *= expf(inv_temperature * (old_maxval - maxval));
        for (int k = 0; k < 4; ++k) sumval += expf(inv_temperature * (vec_at(v, k) - maxval));
    }
    if (4 * pos_by_4 + (int)warp.thread_rank() <= own_pos) {
        float old_maxval = maxval;
        maxval = fmaxf(maxval, x[4 * pos_by_4 + warp.thread_rank()]);
        sumval *= expf(inv_temperature * (old_maxval - maxval));
        sumval += expf(inv_temperature * (x[4 * pos_by_4 + warp.thread_rank()] - maxval));
    }
    float global_maxval = cg::reduce(warp, maxval, cg::greater<float>{});
    sumval *= maxval == -INFINITY ? 0.0f : expf(inv_temperature * (maxval - global_maxval));
    float sum = cg::reduce(warp, sumval, cg::plus<float>{});
    float norm = 1.f / sum;
    for (int i = warp.thread_rank(); i <= own_pos; i += warp.size()) {
        float ev = expf(inv_temperature * (__ldcs(x + i) - global_maxval));
        __stcs(out + idx * T + i, ev * norm);
    }
}

int main() {
    const int B = 2, NH = 3, T = 44, N = B * NH;
    const size_t bytes = sizeof(float) * N * T * T;
    float *inp = (float*)malloc(bytes), *out = (float*)calloc(1, bytes), *d_inp, *d_out;
    for (int i = 0; i < N * T * T; i++) inp[i] = (float)((i * 7919u) % 1000) / 100.f;
    cudaMalloc(&d_inp, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemset(d_out, 0, bytes);
    cudaMemcpy(d_inp, inp, bytes, cudaMemcpyHostToDevice);
    int block_size = 160;
    int grid_size = (N * T * 32 + block_size - 1) / block_size;
    softmax_forward_kernel5<<<grid_size, block_size>>>(d_out, 0.5f, d_inp, N, T);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_inp);
    cudaFree(d_out);
    int bad = 0;
    for (int r = 0; r < N * T; r++) {
        int t = r % T;
        double s = 0;
        for (int c = 0; c <= t; c++) s += exp(0.5 * inp[r * T + c]);
        for (int c = 0; c < T; c++) {
            double want = c <= t ? exp(0.5 * inp[r * T + c]) / s : 0.0;
            if (fabs(want - out[r * T + c]) > 1e-5) bad++;
        }
    }
    free(inp);
    free(out);
    if (bad) printf("%d bad\n", bad);
    return bad > 0;
}
