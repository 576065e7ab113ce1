// expect: uninitialized
// Rows of a separable filter: the right halo is filled one element too few.
#include <cstdio>
#include <vector>

template <int R>
struct Taps {
    float w[2 * R + 1];
};

template <int R, int BX>
__global__ void filter_rows(float* dst, const float* src, int w, int h, Taps<R> taps) {
    __shared__ float line[BX + 2 * R];
    const int y = blockIdx.y, x0 = blockIdx.x * BX, tx = threadIdx.x;
    const float* s = src + y * w;
    auto clamped = [&](int x) { return s[min(max(x, 0), w - 1)]; };
    line[tx + R] = clamped(x0 + tx);
    if (tx < R) line[tx] = clamped(x0 + tx - R);
    if (tx < R - 1) line[tx + R + BX] = clamped(x0 + tx + BX);
    __syncthreads();
    if (x0 + tx < w) {
        float sum = 0;
        for (int k = 0; k <= 2 * R; ++k) sum += taps.w[k] * line[tx + k];  // <- uninitialized
        dst[y * w + x0 + tx] = sum;
    }
}

int main() {
    const int w = 70, h = 5;
    std::vector<float> img(w * h);
    for (int i = 0; i < w * h; ++i) img[i] = i % 13;
    float *a, *b;
    cudaMalloc(&a, img.size() * sizeof(float));
    cudaMalloc(&b, img.size() * sizeof(float));
    cudaMemcpy(a, img.data(), img.size() * sizeof(float), cudaMemcpyHostToDevice);
    Taps<3> t{{1, 6, 15, 20, 15, 6, 1}};
    for (float& x : t.w) x /= 64;
    filter_rows<3, 32><<<dim3((w + 31) / 32, h), 32>>>(b, a, w, h, t);
    cudaMemcpy(img.data(), b, img.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", img[31]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
