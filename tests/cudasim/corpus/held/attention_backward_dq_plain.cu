// expect: race
// Attention backward, a block per tile of keys: dK is private, but dQ is added to with += by every block.
#include <cstdio>
#include <vector>

#define HS 4
#define TILE 8

__global__ void dqk(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ dS, float* dQ, float* dK, int T) {
    int j = blockIdx.x * TILE + threadIdx.y;  // key
    int x = threadIdx.x;                      // channel
    float acc = 0.0f;
    if (j < T) {
        for (int i = j; i < T; ++i) acc += dS[i * T + j] * Q[i * HS + x];
        dK[j * HS + x] = acc;
    }
    __shared__ float part[TILE][HS];
    for (int i = blockIdx.x * TILE; i < T; ++i) {
        part[threadIdx.y][x] = (j < T && j <= i) ? dS[i * T + j] * K[j * HS + x] : 0.0f;
        __syncthreads();
        if (threadIdx.y == 0) {
            float s = 0.0f;
            for (int y = 0; y < TILE; ++y) s += part[y][x];
            dQ[i * HS + x] += s;  // <- race
        }
        __syncthreads();
    }
}

int main() {
    const int T = 21;
    std::vector<float> q(T * HS, 0.5f), s(T * T, 0.1f);
    float *dq, *dk, *Q, *K, *S;
    cudaMalloc(&Q, q.size() * sizeof(float));
    cudaMalloc(&K, q.size() * sizeof(float));
    cudaMalloc(&dq, q.size() * sizeof(float));
    cudaMalloc(&dk, q.size() * sizeof(float));
    cudaMalloc(&S, s.size() * sizeof(float));
    cudaMemcpy(Q, q.data(), q.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(K, q.data(), q.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(S, s.data(), s.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dq, 0, q.size() * sizeof(float));
    dqk<<<(T + TILE - 1) / TILE, dim3(HS, TILE)>>>(Q, K, S, dq, dk, T);
    cudaMemcpy(q.data(), dq, q.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", q[0]);
    cudaFree(Q);
    cudaFree(K);
    cudaFree(S);
    cudaFree(dq);
    cudaFree(dk);
}
