// The versions of the editorial's ladder, numbered as there, on matrices of 256 x 256.
// `torchstone cuda check ladder.cu --json` counts what they move.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void naive(const float* A, const float* B, float* C, int N, int K) {
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) {
        sum += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = sum;
}

// The side of a tile.
constexpr int T = 32;
__global__ void tile(const float* A, const float* B, float* C, int N, int K) {
    __shared__ float a[T][T], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0.0f;
    for (int k = 0; k < K; k += T) {
        a[y][x] = A[row * K + k + x];
        b[y][x] = B[(k + y) * N + col];
        __syncthreads();
        for (int d = 0; d < T; d++) {
            sum += a[y][d] * b[d][x];
        }
        __syncthreads();
    }
    C[row * N + col] = sum;
}

template <int gap>
__global__ void transposed(const float* A, const float* B, float* C, int N, int K) {
    __shared__ float a[T][T + gap], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0.0f;
    for (int k = 0; k < K; k += T) {
        a[x][y] = A[row * K + k + x];
        b[y][x] = B[(k + y) * N + col];
        __syncthreads();
        for (int d = 0; d < T; d++) {
            sum += a[d][y] * b[d][x];
        }
        __syncthreads();
    }
    C[row * N + col] = sum;
}

// The side of a block of C, the depth of its tiles, results of a thread in each direction.
constexpr int W = 64, D = 16, R = 4, gap = 4;
__global__ void registers(const float* A, const float* B, float* C, int N, int K) {
    __shared__ float a[D][W + 2], b[D][W];
    const int t = threadIdx.x, x = t % 16, y = t / 16;
    A += blockIdx.y * W * K, B += blockIdx.x * W;
    float sums[R][R] = {};
    for (int k = 0; k < K; k += D) {
        for (int i = t; i < W * D; i += 256) {
            a[i % D][i / D] = A[i / D * K + k + i % D];
            b[i / W][i % W] = B[(k + i / W) * N + i % W];
        }
        __syncthreads();
        for (int d = 0; d < D; d++) {
            float u[R], v[R];
            for (int i = 0; i < R; i++) u[i] = a[d][y + 16 * i];
            for (int j = 0; j < R; j++) v[j] = b[d][x + 16 * j];
            for (int i = 0; i < R; i++)
                for (int j = 0; j < R; j++) sums[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++)
            C[(blockIdx.y * W + y + 16 * i) * N + blockIdx.x * W + x + 16 * j] = sums[i][j];
}

__device__ const float4& as4(const float& from) { return reinterpret_cast<const float4&>(from); }
__device__ float4& as4(float& from) { return reinterpret_cast<float4&>(from); }

__global__ void vectorised(const float* A, const float* B, float* C, int N, int K) {
    __shared__ __align__(16) float a[D][W + gap], b[D][W];
    const int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
    A += blockIdx.y * W * K, B += blockIdx.x * W;
    float4 sums[R];
    for (int i = 0; i < R; i++) sums[i] = make_float4(0, 0, 0, 0);
    for (int k = 0; k < K; k += D) {
        const float4 p = as4(A[t / 4 * K + k + t % 4 * 4]);
        a[t % 4 * 4 + 0][t / 4] = p.x;
        a[t % 4 * 4 + 1][t / 4] = p.y;
        a[t % 4 * 4 + 2][t / 4] = p.z;
        a[t % 4 * 4 + 3][t / 4] = p.w;
        as4(b[t / 16][x]) = as4(B[(k + t / 16) * N + x]);
        __syncthreads();
        for (int d = 0; d < D; d++) {
            const float4 u = as4(a[d][y]);
            const float4 v = as4(b[d][x]);
            const float left[R] = {u.x, u.y, u.z, u.w};
            for (int i = 0; i < R; i++) {
                sums[i].x += left[i] * v.x;
                sums[i].y += left[i] * v.y;
                sums[i].z += left[i] * v.z;
                sums[i].w += left[i] * v.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < R; i++) {
        as4(C[(blockIdx.y * W + y + i) * N + blockIdx.x * W + x]) = sums[i];
    }
}

struct Tiles {
    __align__(16) float a[D][W + gap];
    float b[D][W];
};

__global__ void double_buffer(const float* A, const float* B, float* C, int N, int K) {
    __shared__ Tiles tiles[2];
    const int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
    A += blockIdx.y * W * K, B += blockIdx.x * W;
    float4 sums[R];
    for (int i = 0; i < R; i++) sums[i] = make_float4(0, 0, 0, 0);
    float4 p = as4(A[t / 4 * K + t % 4 * 4]);
    float4 q = as4(B[t / 16 * N + x]);
    for (int k = 0, now = 0; k < K; k += D, now ^= 1) {
        tiles[now].a[t % 4 * 4 + 0][t / 4] = p.x;
        tiles[now].a[t % 4 * 4 + 1][t / 4] = p.y;
        tiles[now].a[t % 4 * 4 + 2][t / 4] = p.z;
        tiles[now].a[t % 4 * 4 + 3][t / 4] = p.w;
        as4(tiles[now].b[t / 16][x]) = q;
        __syncthreads();
        if (k + D < K) {
            p = as4(A[t / 4 * K + k + D + t % 4 * 4]);
            q = as4(B[(k + D + t / 16) * N + x]);
        }
        for (int d = 0; d < D; d++) {
            const float4 u = as4(tiles[now].a[d][y]);
            const float4 v = as4(tiles[now].b[d][x]);
            const float left[R] = {u.x, u.y, u.z, u.w};
            for (int i = 0; i < R; i++) {
                sums[i].x += left[i] * v.x;
                sums[i].y += left[i] * v.y;
                sums[i].z += left[i] * v.z;
                sums[i].w += left[i] * v.w;
            }
        }
    }
    for (int i = 0; i < R; i++) {
        as4(C[(blockIdx.y * W + y + i) * N + blockIdx.x * W + x]) = sums[i];
    }
}

int main() {
    constexpr int S = 256;
    std::vector<float> left(S * S), right(S * S), want(S * S), got(S * S);
    for (int i = 0; i < S * S; i++) {
        left[i] = i % 7 - 3;
        right[i] = i % 11 - 5;
    }
    for (int i = 0; i < S; i++) {
        for (int k = 0; k < S; k++) {
            for (int j = 0; j < S; j++) want[i * S + j] += left[i * S + k] * right[k * S + j];
        }
    }
    constexpr size_t num_bytes = S * S * sizeof(float);
    float *A, *B, *C;
    cudaMalloc(&A, num_bytes);
    cudaMalloc(&B, num_bytes);
    cudaMalloc(&C, num_bytes);
    cudaMemcpy(A, left.data(), num_bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(B, right.data(), num_bytes, cudaMemcpyHostToDevice);
    int num_wrong = 0;
    const auto look = [&](const char* name) {
        cudaMemcpy(got.data(), C, num_bytes, cudaMemcpyDeviceToHost);
        cudaMemset(C, 0, num_bytes);
        num_wrong += got != want;
        std::printf("%s: %s\n", name, got == want ? "right" : "WRONG");
    };
    const dim3 tiles(S / T, S / T), block(T, T), wide(S / W, S / W);
    naive<<<dim3(S / 16, S / 16), dim3(16, 16)>>>(A, B, C, S, S);
    look("1 naive");
    tile<<<tiles, block>>>(A, B, C, S, S);
    look("2 tile");
    transposed<0><<<tiles, block>>>(A, B, C, S, S);
    look("2t transposed");
    transposed<1><<<tiles, block>>>(A, B, C, S, S);
    look("3 padded");
    registers<<<wide, 256>>>(A, B, C, S, S);
    look("4 registers");
    vectorised<<<wide, 256>>>(A, B, C, S, S);
    look("5 vectorised");
    double_buffer<<<wide, 256>>>(A, B, C, S, S);
    look("6 double buffer");
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return num_wrong;
}
