// expect: nothing
// Attention in three kernels over a packed (B, T, 3, NH, HS) tensor: scores, causal softmax, weighted values.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void attention_query_key_kernel1(float* preatt, const float* inp, int B, int T, int C, int NH) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int total_threads = B * NH * T * T;
    if (idx < total_threads) {
        int t2 = idx % T;
        int t = (idx / T) % T;
        if (t2 > t) {
            preatt[idx] = -INFINITY;
            return;
        }
        int h = (idx / (T * T)) % NH;
        int b = idx / (NH * T * T);
        int C3 = C * 3;
        int hs = C / NH;
        const float* query_t = inp + b * T * C3 + t * C3 + h * hs;
        const float* key_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C;
        float val = 0.0f;
        for (int i = 0; i < hs; i++) val += query_t[i] * key_t2[i];
        val *= 1.0 / sqrtf(hs);
        preatt[idx] = val;
    }
}

__global__ void attention_softmax_kernel1(float* att, const float* preatt, int B, int T, int NH) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int total_threads = B * T * NH;
    if (idx < total_threads) {
        int h = idx % NH;
        int t = (idx / NH) % T;
        int b = idx / (NH * T);
        const float* preatt_bth = preatt + b * NH * T * T + h * T * T + t * T;
        float* att_bth = att + b * NH * T * T + h * T * T + t * T;
        float maxval = -INFINITY;
        for (int t2 = 0; t2 < T; t2++) maxval = fmaxf(maxval, preatt_bth[t2]);
        float expsum = 0.0f;
        for (int t2 = 0; t2 < T; t2++) expsum += expf(preatt_bth[t2] - maxval);
        float expsum_inv = expsum == 0.0f ? 0.0f : 1.0f / expsum;
        for (int t2 = 0; t2 < T; t2++) att_bth[t2] = t2 <= t ? expf(preatt_bth[t2] - maxval) * expsum_inv : 0.0f;
    }
}

__global__ void attention_value_kernel1(float* out, const float* att, const float* inp, int B, int T, int C, int NH) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T * NH) {
        int h = idx % NH, t = (idx / NH) % T, b = idx / (NH * T);
        int C3 = C * 3, hs = C / NH;
        float* out_bth = out + b * T * C + t * C + h * hs;
        const float* att_bth = att + b * NH * T * T + h * T * T + t * T;
        for (int i = 0; i < hs; i++) out_bth[i] = 0.0f;
        for (int t2 = 0; t2 <= t; t2++) {
            const float* value_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C * 2;
            float att_btht2 = att_bth[t2];
            for (int i = 0; i < hs; i++) out_bth[i] += att_btht2 * value_t2[i];
        }
    }
}

int main() {
    int B = 2, T = 13, C = 24, NH = 3, hs = C / NH;
    size_t n_in = B * T * 3 * C, n_out = B * T * C, n_att = B * NH * T * T;
    float* inp = (float*)malloc(n_in * sizeof(float));
    float* out = (float*)malloc(n_out * sizeof(float));
    for (size_t i = 0; i < n_in; i++) inp[i] = (float)(((i * 2654435761u) >> 8) & 0xffff) / 32768.0f - 1.0f;
    float *d_inp, *d_out, *d_preatt, *d_att;
    cudaMalloc((void**)&d_inp, n_in * sizeof(float));
    cudaMalloc((void**)&d_out, n_out * sizeof(float));
    cudaMalloc((void**)&d_preatt, n_att * sizeof(float));
    cudaMalloc((void**)&d_att, n_att * sizeof(float));
    cudaMemcpy(d_inp, inp, n_in * sizeof(float), cudaMemcpyHostToDevice);
    const int bs = 64;
    attention_query_key_kernel1<<<(n_att + bs - 1) / bs, bs>>>(d_preatt, d_inp, B, T, C, NH);
    attention_softmax_kernel1<<<(B * T * NH + bs - 1) / bs, bs>>>(d_att, d_preatt, B, T, NH);
    attention_value_kernel1<<<(B * T * NH + bs - 1) / bs, bs>>>(d_out, d_att, d_inp, B, T, C, NH);
    cudaMemcpy(out, d_out, n_out * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_inp);
    cudaFree(d_out);
    cudaFree(d_preatt);
    cudaFree(d_att);
    int rc = 0;
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++)
            for (int t = 0; t < T; t++) {
                double p[64], s = 0;
                for (int u = 0; u <= t; u++) {
                    double d = 0;
                    for (int i = 0; i < hs; i++) d += inp[(b * T + t) * 3 * C + h * hs + i] * inp[(b * T + u) * 3 * C + C + h * hs + i];
                    s += p[u] = exp(d / sqrt((double)hs));
                }
                for (int i = 0; i < hs; i++) {
                    double w = 0;
                    for (int u = 0; u <= t; u++) w += p[u] / s * inp[(b * T + u) * 3 * C + 2 * C + h * hs + i];
                    if (fabs(w - out[(b * T + t) * C + h * hs + i]) > 1e-5) rc = 1;
                }
            }
    if (rc) printf("mismatch\n");
    free(inp);
    free(out);
    return rc;
}
