// feature: structures, unions and arrays in structures passed to kernels by value, up to 4 KiB
// area: language
#include <cstdio>
#include <cstring>

union Bits {
    float number;
    unsigned bits;
    unsigned char bytes[4];
};
struct Header {
    char tag;
    double scale;
    Bits bits;
};
struct Large {
    int values[1024];
};
static_assert(sizeof(Large) == 4096, "as much as kernels took before CUDA 12");
struct alignas(64) Aligned {
    float row[16];
};
struct Matrix {
    float* data;
    int rows, columns;
    __device__ float& at(int i, int j) const { return data[i * columns + j]; }
};

__global__ void read_large(Large large, int* out) {
    large.values[threadIdx.x] += 1;  // a copy of this thread's own
    out[threadIdx.x] = large.values[threadIdx.x] + large.values[1023];
}
__global__ void read_mixed(char a, Header header, short b, Aligned aligned, int* out) {
    out[threadIdx.x] = a + b + header.tag + static_cast<int>(header.scale) +
                       static_cast<int>(aligned.row[threadIdx.x % 16]) + header.bits.bytes[3];
}
__global__ void fill(Matrix m) {
    m.at(threadIdx.y, threadIdx.x) = threadIdx.y * 10.0f + threadIdx.x;
}

int main() {
    int *out, host[32], wrong = 0;
    cudaMalloc(&out, sizeof host);
    Large large;
    for (int i = 0; i < 1024; i++) {
        large.values[i] = i;
    }
    read_large<<<1, 32>>>(large, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        wrong += host[i] != i + 1 + 1023;
    }
    Header header{'a', 3.5, {}};
    header.bits.number = 1.0f;  // 0x3f800000
    Aligned aligned;
    for (int i = 0; i < 16; i++) {
        aligned.row[i] = static_cast<float>(i);
    }
    read_mixed<<<1, 32>>>('b', header, -7, aligned, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        wrong += host[i] != 'b' - 7 + 'a' + 3 + i % 16 + 0x3f;
    }
    float cells[3][4];
    Matrix m{nullptr, 3, 4};
    cudaMalloc(&m.data, sizeof cells);
    fill<<<1, dim3(4, 3)>>>(m);
    cudaMemcpy(cells, m.data, sizeof cells, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 12; i++) {
        wrong += cells[i / 4][i % 4] != i / 4 * 10.0f + i % 4;
    }
    cudaFree(m.data);
    cudaFree(out);
    if (wrong) {
        std::printf("%d values are wrong\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
