// feature: static __shared__ variables: scalars, arrays of dimensions and of structures, aligned
// area: language
#include <cstdint>
#include <cstdio>

struct alignas(16) Body {
    float x, y, z;
    int id;
};

__global__ void use(int* out, int* misaligned) {
    __shared__ int total;
    __shared__ int grid[4][8][2];
    __shared__ Body bodies[32];
    __shared__ alignas(128) unsigned char bytes[33];
    __shared__ __align__(32) float lanes[32], more[32];
    __shared__ volatile int flag;
    const int i = threadIdx.x;
    if (i == 0) {
        total = 0;
        flag = 3;
    }
    grid[i / 8][i % 8][0] = i;
    grid[i / 8][i % 8][1] = -i;
    bodies[i] = Body{1.0f * i, 0, 0, i};
    bytes[i] = static_cast<unsigned char>(i);
    lanes[i] = 2.0f * i;
    more[i] = 3.0f * i;
    __syncthreads();
    const int j = 31 - i;
    atomicAdd(&total, grid[j / 8][j % 8][0]);
    __syncthreads();
    out[i] = total + grid[j / 8][j % 8][1] + bodies[j].id + bytes[j] + static_cast<int>(lanes[j]) +
             static_cast<int>(more[j]) + flag;
    if (i == 0) {
        *misaligned = reinterpret_cast<uintptr_t>(bytes) % 128 != 0 ||
                      reinterpret_cast<uintptr_t>(lanes) % 32 != 0 ||
                      reinterpret_cast<uintptr_t>(bodies) % 16 != 0;
    }
}

int main() {
    int *out, host[33];
    cudaMalloc(&out, sizeof host);
    use<<<1, 32>>>(out, out + 32);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int i = 0; i < 32; i++) {
        const int j = 31 - i, want = 496 - j + j + j + 2 * j + 3 * j + 3;
        if (host[i] != want) {
            std::printf("out[%d] is %d and not %d\n", i, host[i], want);
            return 1;
        }
    }
    if (host[32]) {
        std::printf("a shared array is not aligned as it asks to be\n");
    }
    return host[32] || cudaGetLastError() != cudaSuccess;
}
