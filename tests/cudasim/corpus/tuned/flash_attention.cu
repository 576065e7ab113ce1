// expect: nothing
// Attention without the score matrix: keys and values come in tiles, each thread owns one query.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int D = 8;      // head_dim
constexpr int TILE = 16;  // queries per block and keys per tile

__global__ void attention(const float* q, const float* k, const float* v, float* out, int length) {
    __shared__ float keys[TILE][D], values[TILE][D];
    int row = blockIdx.x * TILE + threadIdx.x;
    float query[D], acc[D] = {};
    for (int d = 0; d < D; ++d) query[d] = row < length ? q[row * D + d] : 0.0f;
    float largest = -INFINITY, sum = 0.0f;
    for (int start = 0; start < length; start += TILE) {
        int count = min(TILE, length - start);
        for (int i = threadIdx.x; i < count * D; i += TILE) {
            keys[i / D][i % D] = k[start * D + i];
            values[i / D][i % D] = v[start * D + i];
        }
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            float score = 0.0f;
            for (int d = 0; d < D; ++d) score += query[d] * keys[j][d];
            score *= rsqrtf(static_cast<float>(D));
            float next = fmaxf(largest, score);
            float shrink = expf(largest - next), weight = expf(score - next);
            sum = sum * shrink + weight;
            for (int d = 0; d < D; ++d) acc[d] = acc[d] * shrink + weight * values[j][d];
            largest = next;
        }
        __syncthreads();
    }
    if (row >= length) return;
    for (int d = 0; d < D; ++d) out[row * D + d] = acc[d] / sum;
}

int main() {
    const int length = 41, n = length * D;
    std::vector<float> q(n), k(n), v(n), out(n);
    for (int i = 0; i < n; ++i) {
        q[i] = (i * 7 % 13) * 0.2f - 1.0f;
        k[i] = (i * 5 % 11) * 0.2f - 1.0f;
        v[i] = (i * 3 % 17) * 0.1f;
    }
    float* d[4];
    for (float*& p : d) cudaMalloc(&p, n * sizeof(float));
    cudaMemcpy(d[0], q.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], k.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d[2], v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    attention<<<(length + TILE - 1) / TILE, TILE>>>(d[0], d[1], d[2], d[3], length);
    cudaMemcpy(out.data(), d[3], n * sizeof(float), cudaMemcpyDeviceToHost);
    for (float* p : d) cudaFree(p);
    for (int i = 0; i < length; ++i) {
        double sum = 0.0, want[D] = {};
        for (int j = 0; j < length; ++j) {
            double score = 0.0;
            for (int c = 0; c < D; ++c) score += q[i * D + c] * k[j * D + c];
            double weight = std::exp(score / std::sqrt(double(D)));
            sum += weight;
            for (int c = 0; c < D; ++c) want[c] += weight * v[j * D + c];
        }
        for (int c = 0; c < D; ++c) {
            if (std::fabs(out[i * D + c] - want[c] / sum) > 1e-4) {
                printf("out[%d][%d] is %f, not %f\n", i, c, out[i * D + c], want[c] / sum);
                return 1;
            }
        }
    }
    return 0;
}
