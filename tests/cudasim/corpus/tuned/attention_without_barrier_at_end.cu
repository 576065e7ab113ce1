// expect: race
// Attention by tiles of keys: the next tile is loaded while other threads use this one.
#include <cmath>
#include <vector>

constexpr int D = 4, TILE = 64;

__global__ void attention(const float* q, const float* k, const float* v, float* out, int length) {
    __shared__ float keys[TILE][D], values[TILE][D];
    int row = blockIdx.x * TILE + threadIdx.x;
    float acc[D] = {}, sum = 0.0f, largest = -INFINITY;
    for (int start = 0; start < length; start += TILE) {
        for (int i = threadIdx.x; i < TILE * D; i += TILE) {
            keys[i / D][i % D] = k[start * D + i];    // <- race
            values[i / D][i % D] = v[start * D + i];  // <- race
        }
        __syncthreads();
        for (int j = 0; j < TILE; ++j) {
            float score = 0.0f;
            for (int d = 0; d < D; ++d) score += q[row * D + d] * keys[j][d];  // <- race
            float next = fmaxf(largest, score);
            float shrink = expf(largest - next), weight = expf(score - next);
            sum = sum * shrink + weight;
            for (int d = 0; d < D; ++d) {
                acc[d] = acc[d] * shrink + weight * values[j][d];  // <- race
            }
            largest = next;
        }
    }
    for (int d = 0; d < D; ++d) out[row * D + d] = acc[d] / sum;
}

int main() {
    const int length = 128, n = length * D;
    std::vector<float> x(n, 0.25f);
    float* d[4];
    for (float*& p : d) cudaMalloc(&p, n * sizeof(float));
    for (int i = 0; i < 3; ++i) {
        cudaMemcpy(d[i], x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    }
    attention<<<length / TILE, TILE>>>(d[0], d[1], d[2], d[3], length);
    cudaMemcpy(x.data(), d[3], n * sizeof(float), cudaMemcpyDeviceToHost);
    for (float* p : d) cudaFree(p);
    return 0;
}
