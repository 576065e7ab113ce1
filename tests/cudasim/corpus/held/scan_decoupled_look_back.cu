// expect: nothing
// Single-pass scan with decoupled look-back: status flags, values and fences apart, tiles given out by a ticket.
#include <cstdio>
#include <vector>

constexpr int TILE = 96;
enum Status : int { EMPTY = 0, AGGREGATE = 1, PREFIX = 2 };

__global__ void lookback_scan(const int* in, int* out, int n, int* ticket, volatile int* status, volatile int* aggregate,
                              volatile int* prefix) {
    __shared__ int s_tile, s_before, s_data[TILE];
    if (threadIdx.x == 0) s_tile = atomicAdd(ticket, 1);
    __syncthreads();
    const int tile = s_tile, i = tile * TILE + threadIdx.x;
    s_data[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < TILE; d *= 2) {
        int add = threadIdx.x >= d ? s_data[threadIdx.x - d] : 0;
        __syncthreads();
        s_data[threadIdx.x] += add;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        int total = s_data[TILE - 1], before = 0;
        if (tile == 0) {
            prefix[0] = total;
            __threadfence();
            status[0] = PREFIX;
        } else {
            aggregate[tile] = total;
            __threadfence();
            status[tile] = AGGREGATE;
            for (int k = tile - 1; k >= 0;) {
                int s = status[k];
                if (s == EMPTY) continue;
                __threadfence();
                before += s == PREFIX ? prefix[k] : aggregate[k];
                if (s == PREFIX) break;
                --k;
            }
            prefix[tile] = before + total;
            __threadfence();
            status[tile] = PREFIX;
        }
        s_before = before;
    }
    __syncthreads();
    if (i < n) out[i] = s_data[threadIdx.x] + s_before;
}

int main() {
    const int n = 1111, tiles = (n + TILE - 1) / TILE;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i % 5 + 1;
    int *d_in, *d_out, *d_state;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&d_state, (1 + 3 * tiles) * sizeof(int));
    cudaMemset(d_state, 0, (1 + 3 * tiles) * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    lookback_scan<<<tiles, TILE>>>(d_in, d_out, n, d_state, d_state + 1, d_state + 1 + tiles, d_state + 1 + 2 * tiles);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_state);
    for (int i = 0, sum = 0; i < n; ++i) {
        sum += in[i];
        if (out[i] != sum) {
            printf("out[%d] = %d, not %d\n", i, out[i], sum);
            return 1;
        }
    }
    return 0;
}
