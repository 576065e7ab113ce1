// expect: nothing
// Flash attention forward, a tutorial's layout: a block per (batch, head), tiles Q, K, V and S carved out of dynamic shared memory, causal.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void flash_forward(const float* Q, const float* K, const float* V, const int N, const int d, const int Tc, const int Tr,
                              const int Bc, const int Br, const float softmax_scale, float* l, float* m, float* O) {
    int tx = threadIdx.x;
    int bx = blockIdx.x;
    int by = blockIdx.y;
    int qkv_offset = (bx * gridDim.y * N * d) + (by * N * d);
    int lm_offset = (bx * gridDim.y * N) + (by * N);
    extern __shared__ float sram[];
    int tile_size = Bc * d;
    float* Qi = sram;
    float* Kj = &sram[tile_size];
    float* Vj = &sram[tile_size * 2];
    float* S = &sram[tile_size * 3];
    for (int j = 0; j < Tc; j++) {
        if (j * Bc + tx < N) {
            for (int x = 0; x < d; x++) {
                Kj[(tx * d) + x] = K[qkv_offset + (tile_size * j) + (tx * d) + x];
                Vj[(tx * d) + x] = V[qkv_offset + (tile_size * j) + (tx * d) + x];
            }
        }
        __syncthreads();
        for (int i = j; i < Tr; i++) {
            int row = i * Br + tx;
            if (row >= N) break;
            for (int x = 0; x < d; x++) Qi[(tx * d) + x] = Q[qkv_offset + (tile_size * i) + (tx * d) + x];
            float row_m_prev = m[lm_offset + row];
            float row_l_prev = l[lm_offset + row];
            float row_m = -INFINITY;
            for (int y = 0; y < Bc; y++) {
                if (j * Bc + y >= N || row < j * Bc + y) break;
                float sum = 0;
                for (int x = 0; x < d; x++) sum += Qi[(tx * d) + x] * Kj[(y * d) + x];
                sum *= softmax_scale;
                S[(Bc * tx) + y] = sum;
                if (sum > row_m) row_m = sum;
            }
            float row_l = 0;
            for (int y = 0; y < Bc; y++) {
                if (j * Bc + y >= N || row < j * Bc + y) break;
                S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m);
                row_l += S[(Bc * tx) + y];
            }
            float row_m_new = max(row_m_prev, row_m);
            float row_l_new = (__expf(row_m_prev - row_m_new) * row_l_prev) + (__expf(row_m - row_m_new) * row_l);
            for (int x = 0; x < d; x++) {
                float pv = 0;
                for (int y = 0; y < Bc; y++) {
                    if (j * Bc + y >= N || row < j * Bc + y) break;
                    pv += S[(Bc * tx) + y] * Vj[(y * d) + x];
                }
                O[qkv_offset + (tile_size * i) + (tx * d) + x] =
                    (1 / row_l_new) * ((row_l_prev * __expf(row_m_prev - row_m_new) * O[qkv_offset + (tile_size * i) + (tx * d) + x]) +
                                       (__expf(row_m - row_m_new) * pv));
            }
            m[lm_offset + row] = row_m_new;
            l[lm_offset + row] = row_l_new;
        }
        __syncthreads();
    }
}

int main() {
    const int B = 2, nh = 2, N = 27, d = 10, Bc = 8, Br = 8;
    const int Tc = (N + Bc - 1) / Bc, Tr = (N + Br - 1) / Br;
    const int total = B * nh * N * d;
    std::vector<float> q(total), k(total), v(total), o(total), ninf(B * nh * N, -INFINITY);
    for (int i = 0; i < total; i++) q[i] = std::sin(i * .13f), k[i] = std::cos(i * .37f), v[i] = std::sin(i * .91f);
    float *dq, *dk, *dv, *dO, *dl, *dm;
    cudaMalloc(&dq, total * 4), cudaMalloc(&dk, total * 4), cudaMalloc(&dv, total * 4), cudaMalloc(&dO, total * 4);
    cudaMalloc(&dl, B * nh * N * 4), cudaMalloc(&dm, B * nh * N * 4);
    cudaMemcpy(dq, q.data(), total * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), total * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), total * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dm, ninf.data(), ninf.size() * 4, cudaMemcpyHostToDevice);
    cudaMemset(dl, 0, B * nh * N * 4);
    cudaMemset(dO, 0, total * 4);
    const int sram_size = (3 * Bc * d * sizeof(float)) + (Bc * Br * sizeof(float));
    int max_sram_size;
    cudaDeviceGetAttribute(&max_sram_size, cudaDevAttrMaxSharedMemoryPerBlock, 0);
    if (sram_size > max_sram_size) return 2;
    dim3 grid_dim(B, nh);
    dim3 block_dim(Bc);
    flash_forward<<<grid_dim, block_dim, sram_size>>>(dq, dk, dv, N, d, Tc, Tr, Bc, Br, 1.f / std::sqrt((float)d), dl, dm, dO);
    cudaMemcpy(o.data(), dO, total * 4, cudaMemcpyDeviceToHost);
    for (float* p : {dq, dk, dv, dO, dl, dm}) cudaFree(p);
    int bad = 0;
    for (int h = 0; h < B * nh; h++)
        for (int r = 0; r < N; r++) {
            double p[N], s = 0;
            for (int c = 0; c <= r; c++) {
                double z = 0;
                for (int x = 0; x < d; x++) z += (double)q[(h * N + r) * d + x] * k[(h * N + c) * d + x];
                s += p[c] = std::exp(z / std::sqrt((double)d));
            }
            for (int x = 0; x < d; x++) {
                double w = 0;
                for (int c = 0; c <= r; c++) w += p[c] / s * v[(h * N + c) * d + x];
                bad += std::fabs(w - o[(h * N + r) * d + x]) > 1e-4;
            }
        }
    if (bad) printf("%d wrong\n", bad);
    return bad != 0;
}
