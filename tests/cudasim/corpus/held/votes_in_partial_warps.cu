// expect: nothing
// Votes and matches among the first n lanes; a subgroup meets again under the mask of a ballot.
#include <cstdio>

__global__ void vote(const int* in, int n, int* any_negative, int* all_small, int* group_sum) {
    int i = threadIdx.x;
    unsigned inside = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
        int value = in[i];
        any_negative[i] = __any_sync(inside, value < 0) != 0;
        all_small[i] = __all_sync(inside, value < 50) != 0;
        unsigned peers = __match_any_sync(inside, value % 4);
        group_sum[i] = __reduce_add_sync(peers, value);
        __syncwarp(inside);
    }
}

int main() {
    const int n = 21;
    int in[n], out[3][n], *d_in, *d_out;
    for (int i = 0; i < n; ++i) in[i] = i * 3;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    vote<<<1, 32>>>(d_in, n, d_out, d_out + n, d_out + 2 * n);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        int sum = 0;
        for (int j = 0; j < n; ++j) sum += in[j] % 4 == in[i] % 4 ? in[j] : 0;
        if (out[0][i] != 0 || out[1][i] != 0 || out[2][i] != sum) {
            printf("lane %d has %d %d %d, not 0 0 %d\n", i, out[0][i], out[1][i], out[2][i], sum);
            return 1;
        }
    }
    return 0;
}
