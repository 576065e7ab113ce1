// feature: virtual functions of objects made in device code
// area: language
#include <cstdio>

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
};
struct Circle final : Shape {
    float radius;
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3 * radius * radius; }
};

__global__ void make(Shape** shapes) {
    const int i = threadIdx.x;
    if (i % 2) {
        shapes[i] = new Square(static_cast<float>(i));
    } else {
        shapes[i] = new Circle(static_cast<float>(i));
    }
}
__global__ void measure(Shape** shapes, float* out) {
    const Shape* const shape = shapes[31 - threadIdx.x];
    out[31 - threadIdx.x] = shape->area() + static_cast<float>(shape->corners());
}
__global__ void destroy(Shape** shapes) { delete shapes[threadIdx.x]; }

int main() {
    Shape** shapes;
    float *out, host[32];
    cudaMalloc(&shapes, 32 * sizeof(Shape*));
    cudaMalloc(&out, sizeof host);
    make<<<1, 32>>>(shapes);
    measure<<<1, 32>>>(shapes, out);
    destroy<<<1, 32>>>(shapes);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    cudaFree(shapes);
    for (int i = 0; i < 32; i++) {
        const float want = i % 2 ? 1.0f * i * i + 4 : 3.0f * i * i;
        if (host[i] != want) {
            std::printf("shape %d is %g and not %g\n", i, host[i], want);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
