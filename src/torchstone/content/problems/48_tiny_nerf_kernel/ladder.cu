// What the versions of the editorial's ladder are counted with: 64 rays of 128 samples, every
// sample inside of a lattice with 16 nodes a side, and nothing stops. It is put behind a version:
//     cat contract.h good/warp_per_ray.cu ladder.cu > version.cu
//     torchstone cuda check version.cu --json
#include <cstdio>
#include <vector>

template <typename T>
static T* on_device(const std::vector<T>& values) {
    T* copy;
    cudaMalloc(&copy, values.size() * sizeof(T));
    cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return copy;
}

int main() {
    constexpr int R = 64, G = 16, S = 128;
    constexpr float t_near = 0.0f, dt = 1.9f / S, T_min = 0.0f;
    std::vector<float> from, along, nodes;
    for (int r = 0; r < R; r++) {
        const float x = (r % 8 - 3.5f) / 4, y = (r / 8 - 3.5f) / 4;
        from.insert(from.end(), {0.8f * x, 0.8f * y, -0.95f});
        along.insert(along.end(), {0.1f * x, 0.1f * y, 1.0f});
    }
    unsigned seed = 1;
    for (int i = 0; i < G * G * G * 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        nodes.push_back((seed >> 8) / 16777216.0f - 0.5f);
    }
    float* const o = on_device(from);
    float* const d = on_device(along);
    float* const field = on_device(nodes);
    float* const grad_rgb = on_device(std::vector<float>(3 * R, 1.0f));
    float* const bg = on_device(std::vector<float>(3, 0.5f));
    float* const rgb = on_device(std::vector<float>(3 * R));
    float* const depth = on_device(std::vector<float>(R));
    float* const opacity = on_device(std::vector<float>(R));
    float* const grad_field = on_device(std::vector<float>(nodes.size()));
    int* const steps = on_device(std::vector<int>(R));
    nerf_forward(o, d, R, field, G, t_near, dt, S, T_min, bg, rgb, depth, opacity, steps, 0);
    nerf_backward(grad_rgb, nullptr, nullptr, o, d, R, field, G, t_near, dt, S, T_min, bg, rgb,
                  depth, opacity, steps, grad_field, 0);
    std::vector<int> taken(R);
    cudaMemcpy(taken.data(), steps, R * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (const int count : taken) sum += count;
    std::printf("%d samples\n", sum);
    for (float* array : {o, d, field, grad_rgb, bg, rgb, depth, opacity, grad_field}) {
        cudaFree(array);
    }
    cudaFree(steps);
    return sum != R * S;
}
