// expect: host-pointer
// Ray tracer: the scene goes by value to the kernel, but its list of spheres still lies in a std::vector of the host.
#include <cstdio>
#include <vector>

struct Vec {
    float x, y, z;
    __host__ __device__ Vec operator-(const Vec& o) const { return {x - o.x, y - o.y, z - o.z}; }  // <- host-pointer
    __host__ __device__ float dot(const Vec& o) const { return x * o.x + y * o.y + z * o.z; }
};

struct Sphere {
    Vec center;
    float radius;
    __device__ float hit(const Vec& from, const Vec& dir) const {
        Vec oc = center - from;  // <- host-pointer
        float b = oc.dot(dir), d = b * b - oc.dot(oc) + radius * radius;
        return d < 0.f ? -1.f : b - sqrtf(d);
    }
};

struct Scene {
    const Sphere* spheres;
    int count;
};

__global__ void trace(Scene scene, float* depth, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float nearest = 1e30f;
    for (int s = 0; s < scene.count; ++s) {
        float t = scene.spheres[s].hit(Vec{float(x), float(y), -50.f}, Vec{0.f, 0.f, 1.f});
        if (t > 0.f && t < nearest) nearest = t;
    }
    depth[y * w + x] = nearest;
}

int main() {
    const int w = 20, h = 13;
    std::vector<Sphere> spheres;
    for (int i = 0; i < 5; ++i) spheres.push_back({{i * 4.f, i * 3.f, 2.f}, 3.f});
    float* depth;
    cudaMalloc(&depth, w * h * sizeof(float));
    Scene scene{spheres.data(), (int)spheres.size()};
    trace<<<dim3(3, 2), dim3(8, 8)>>>(scene, depth, w, h);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(depth);
    return 0;
}
