struct Pair { int a, b; };
__global__ void give(int* out, const float* in, unsigned long long n) { *out = in == nullptr ? (int)n : -1; }
__global__ void pair(int* out, Pair p) { *out = p.a * 10 + p.b; }
__global__ void fallback(int* out, int n = 7) { *out = n; }
__global__ void same(int* out, int n) { *out = n; }
__global__ void same(int* out, float n) { *out = n > 0 ? 100 : 200; }
template <class T> __global__ void general(T* out, const T* in) { *out = in == nullptr; }
int main() {
    int x = 0;
    give<<<1, 1>>>(&x, NULL, 5); EXPECT(x == 5);
    give<<<1, 1>>>(&x, 0, -1 + 2); EXPECT(x == 1);
    give<<<1, 1>>>(&x, {}, {3}); EXPECT(x == 3);
    pair<<<1, 1>>>(&x, {4, 2}); EXPECT(x == 42);
    fallback<<<1, 1>>>(&x); EXPECT(x == 7);
    fallback<<<1, 1>>>(&x, 8); EXPECT(x == 8);
    same<<<1, 1>>>(&x, 3); EXPECT(x == 3);
    same<<<1, 1>>>(&x, 3.0f); EXPECT(x == 100);
    general<int><<<1, 1>>>(&x, NULL); EXPECT(x == 1);
    general<<<1, 1>>>(&x, &x); EXPECT(x == 0);
    EXPECT(std::strcmp(kernel_names, "give pair fallback ") == 0);
    return num_failed;
}
