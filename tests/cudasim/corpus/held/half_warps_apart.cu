// expect: nothing
// Two half-warps take different branches; each synchronises and shuffles under its own mask.
#include <cstdio>

__global__ void sides(const int* in, int* out) {
    __shared__ int cells[32];
    int lane = threadIdx.x;
    int value = in[lane];
    if (lane < 16) {
        cells[lane] = value;
        __syncwarp(0x0000ffffu);
        value = cells[15 - lane];
        __syncwarp(0x0000ffffu);
        cells[lane] = value + __shfl_up_sync(0x0000ffffu, value, 1, 16);
    } else {
        for (int offset = 8; offset > 0; offset /= 2) {
            value += __shfl_xor_sync(0xffff0000u, value, offset);
        }
        cells[lane] = value;
    }
    __syncwarp();
    out[lane] = cells[31 - lane];
}

int main() {
    int in[32], out[32], *d_in, *d_out, sum = 0;
    for (int i = 0; i < 32; ++i) {
        in[i] = i * i % 23;
        if (i >= 16) sum += in[i];
    }
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    sides<<<1, 32>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < 32; ++i) {
        int lane = 31 - i;
        int want = lane >= 16 ? sum : in[15 - lane] + in[lane == 0 ? 15 : 16 - lane];
        if (out[i] != want) {
            printf("out[%d] is %d, not %d\n", i, out[i], want);
            return 1;
        }
    }
    return 0;
}
