// feature: kernel templates, variadic templates, if constexpr, fold expressions, specialisation
// area: language
#include <cstdio>
#include <type_traits>

template <typename T>
struct Zero {
    static __device__ __host__ constexpr T value() { return T(0); }
};
template <>
struct Zero<float> {
    static __device__ __host__ constexpr float value() { return 0.5f; }
};

template <typename... T>
__device__ double sum_of(T... values) {
    return (0.0 + ... + static_cast<double>(values));
}

template <typename T, int Unroll = 2>
__global__ void fill(T* out, T value) {
#pragma unroll
    for (int k = 0; k < Unroll; k++) {
        out[threadIdx.x * Unroll + k] = value + Zero<T>::value();
    }
}

template <bool Square, typename T>
__global__ void transform(T* out) {
    const T x = static_cast<T>(threadIdx.x);
    if constexpr (Square) {
        out[threadIdx.x] = x * x;
    } else if constexpr (std::is_floating_point<T>::value) {
        out[threadIdx.x] = x / 2;
    } else {
        out[threadIdx.x] = -x;
    }
}

template <typename... T>
__global__ void variadic(double* out, T... values) {
    out[threadIdx.x] = sum_of(values...) + sizeof...(values);
}

template <template <typename> class Box, typename T>
__global__ void boxed(T* out) {
    out[threadIdx.x] = Box<T>::value();
}

template <typename T>
int differ(const T* device, int n, double scale, double offset, bool square = false) {
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        T value;
        cudaMemcpy(&value, device + i, sizeof(T), cudaMemcpyDeviceToHost);
        const double x = square ? 1.0 * i * i : i;
        wrong += value != static_cast<T>(x * scale + offset);
    }
    return wrong;
}

int main() {
    void* memory;
    cudaMalloc(&memory, 4096);
    float* const floats = static_cast<float*>(memory);
    int* const ints = static_cast<int*>(memory);
    double* const doubles = static_cast<double*>(memory);
    int wrong = 0;
    fill<<<1, 32>>>(floats, 2.0f);
    wrong += differ(floats, 64, 0, 2.5);
    fill<int, 4><<<1, 32>>>(ints, 7);
    wrong += differ(ints, 128, 0, 7);
    transform<true><<<1, 32>>>(ints);
    wrong += differ(ints, 32, 1, 0, true);
    transform<false, float><<<1, 32>>>(floats);
    wrong += differ(floats, 32, 0.5, 0);
    transform<(3 > 4), int><<<1, 32>>>(ints);
    wrong += differ(ints, 32, -1, 0);
    variadic<<<1, 32>>>(doubles, 1, 2.5f, 3u, static_cast<short>(4));
    wrong += differ(doubles, 32, 0, 14.5);
    variadic<<<1, 32>>>(doubles);
    wrong += differ(doubles, 32, 0, 0);
    boxed<Zero, float><<<1, 32>>>(floats);
    wrong += differ(floats, 32, 0, 0.5);
    cudaFree(memory);
    if (wrong) {
        std::printf("%d values are wrong\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
