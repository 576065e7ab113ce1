// expect: nothing
// Mandelbrot set into a pitched image; the kernel is chosen from a table of instances, float or double.
#include <cstdio>
#include <cstdint>
#include <memory>
#include <vector>

template <typename Real>
__host__ __device__ inline uint8_t escape(Real cx, Real cy, int limit) {
    Real x = 0, y = 0;
    int it = 0;
    for (; it < limit; ++it) {
        Real xx = x * x, yy = y * y;
        if (xx + yy > Real(4)) break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
    }
    return static_cast<uint8_t>(it * 255 / limit);
}

template <typename Real>
__global__ void mandelbrot(uint8_t* image, size_t pitch, int w, int h, Real x0, Real y0, Real step, int limit) {
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += gridDim.y * blockDim.y) {
        uint8_t* row = image + y * pitch;
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += gridDim.x * blockDim.x)
            row[x] = escape(x0 + x * step, y0 + y * step, limit);
    }
}

template <typename Real>
int render(int w, int h) {
    uint8_t* d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, w, h);
    // steps are powers of two, so that host and device agree to the bit whatever is contracted... nearly
    const Real x0 = -2, y0 = -1, step = Real(1) / 32;
    mandelbrot<Real><<<dim3(2, 3), dim3(16, 4)>>>(d, pitch, w, h, x0, y0, step, 60);
    auto host = std::make_unique<uint8_t[]>(w * h);
    cudaMemcpy2D(host.get(), w, d, pitch, w, h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    int far = 0;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) far += host[y * w + x] != escape<Real>(x0 + x * step, y0 + y * step, 60);
    return far > w * h / 50;  // a contracted product may tip a point on the edge
}

int main() {
    int rc = render<float>(99, 65) | render<double>(70, 33);
    if (rc) printf("images differ\n");
    return rc;
}
