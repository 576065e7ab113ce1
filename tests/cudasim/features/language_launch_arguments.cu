// feature: launch arguments are converted as in a call: 0, {}, bit-fields, classes, defaults, overloads
// area: language
#include <cstdio>

struct Identity {
    __device__ int operator()(int x) const { return x; }
};
// Deduced, so that no one address names the kernel.
template <class F>
__global__ void put(int* out, int value, const float* in, F f) {
    *out = f(value) + (in ? 1 : 0);
}
template <int N, class F>
__global__ void put_constant(int* out, F f) {
    *out = f(N);
}
template <class T>
__global__ void kind(T* out, int = 0) {
    *out = 1;
}
template <class T>
__global__ void kind(T* out, float, int more = 5) {
    *out = 2 + more;
}
template <>
__global__ void kind<long long>(long long* out, int) {
    *out = 9;
}
template <class... T>
__global__ void sum(int* out, T... values) {
    const int each[] = {0, static_cast<int>(values)...};
    *out = 0;
    for (const int value : each) {
        *out += value;
    }
}
__global__ void scale(int* x, int scale) { *x *= scale; }
template <class T, class... U>
__global__ void total(T* __restrict__ out, const T* const __restrict__ in, const T a, U... b) {
    *out = in ? *in : static_cast<T>((a + ... + b));
}
template <class T>
__global__ void later(T* out, T value);

struct Bits {
    unsigned n : 5;
};
struct __attribute__((packed)) Packed {
    char c;
    int n;
};
struct Once {
    int value;
    explicit Once(int v) : value(v) {}
    Once(Once&&) = default;
    operator int() && { return value; }
};
// Frees what it holds, and cannot be copied.
struct Buffer {
    int* place = nullptr;
    Buffer() { cudaMalloc(&place, sizeof(long long)); }
    Buffer(const Buffer&) = delete;
    ~Buffer() { cudaFree(place); }
    operator int*() const { return place; }
};
int num_wrong = 0;
void expect(const int* place, int wanted, int line) {
    int value = -1;
    cudaMemcpy(&value, place, sizeof value, cudaMemcpyDeviceToHost);
    if (value != wanted) {
        std::printf("line %d: %d, not %d\n", line, value, wanted);
        num_wrong++;
    }
}
#define EXPECT(wanted) expect(out, wanted, __LINE__)

int launch_inside(int* out) {
    scale<<<1, 1>>>(out, 0);
    void* arguments[] = {&out, nullptr};
    int three = 3;
    arguments[1] = &three;
    cudaLaunchKernel(scale, 1, 1, arguments);
    return 7;
}

int main() {
    Buffer out;
    Bits bits{6};
    Packed packed{1, 7};
    put<<<1, 1>>>(out, 5, 0, Identity{}), EXPECT(5);
    put<<<1, 1>>>(out, bits.n, NULL, Identity{}), EXPECT(6);
    put<<<1, 1>>>(out, packed.n, nullptr, Identity{}), EXPECT(7);
    put<<<1, 1>>>(out, {8}, {}, Identity()), EXPECT(8);
    put<<<1, 1>>>(out, Once(9), 0, Identity{}), EXPECT(9);
    put<Identity><<<1, 1>>>(out, 'a', 0, {}), EXPECT('a');
    put_constant<3><<<1, 1>>>(out, Identity{}), EXPECT(3);
    put_constant<4, Identity><<<1, 1>>>(out, {}), EXPECT(4);
    kind<<<1, 1>>>(out.place), EXPECT(1);
    kind<<<1, 1>>>(out.place, 'c'), EXPECT(1);
    kind<<<1, 1>>>(out.place, 1.0f), EXPECT(7);
    kind<int><<<1, 1>>>(out, 1.0f, {}), EXPECT(2);
    kind<<<1, 1>>>(reinterpret_cast<long long*>(out.place), 1), EXPECT(9);
    sum<<<1, 1>>>(out), EXPECT(0);
    sum<<<1, 1>>>(out, 1, 2.5, 'c' - 'a', true), EXPECT(6);
    sum<int, long><<<1, 1>>>(out, {3}, 4, 5u), EXPECT(12);
    total<<<1, 1>>>(out.place, static_cast<int*>(nullptr), 1, 2, 3.0f), EXPECT(6);
    total<int><<<1, 1>>>(out, NULL, 12), EXPECT(12);
    scale<<<1, 1>>>(out, 2), EXPECT(24);
    later<<<1, 1>>>(out.place, 4), EXPECT(4);
    scale<<<1, 1>>>(out, launch_inside(out)), EXPECT(0);
    return num_wrong;
}

template <class T>
__global__ void later(T* out, T value) {
    *out = value;
}
