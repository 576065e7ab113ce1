template <int N> struct Count { static constexpr int value = N; template <class T> struct Of { using type = T; }; };
template <class T> struct Type { using type = T; };
template <typename T, int N = 4> __global__ void __launch_bounds__(N * 8, 2) fill(T* x, T value) { *x = value + N; }
template <bool B, class T> __global__ void maybe(T* x) { if (B) *x = 1; }
template <class... T> __global__ void pack(T*... x) { int each[] = {(*x = sizeof...(T), 0)...}; (void)each; }
template <class T> void host(T* x, int n) {
    fill<T, (4 > 2) ? 1 : 2><<<1, 2>>>(x, 1); EXPECT(*x == 2);
    fill<typename Type<T>::type, Count<(8 >> 1)>::value><<<n>>1, 2>>>(x, 1); EXPECT(*x == 5);
    fill<typename Count<3>::template Of<T>::type, 1 << 3><<<1, Count<4>::value>>>(x, 1); EXPECT(*x == 9);
    maybe<(sizeof(T) > 1)><<<1, 1>>>(x); EXPECT(*x == 1);
}
int main() {
    float f = 0; double d = 0; int i = 0;
    host(&f, 8);
    fill<float><<<1, 1>>>(&f, 3); EXPECT(f == 7); EXPECT_NAME("fill<float>");
    fill<<<1, 1>>>(&d, 2.0); EXPECT(d == 6);
    fill<Type<Type<int>::type>::type, 2><<<1, 1>>>(&i, 2); EXPECT(i == 4);
    pack<<<1, 1>>>(&f, &d, &i); EXPECT(i == 3 && f == 3);
    pack<float, double><<<1, 1>>>(&f, &d); EXPECT(d == 2);
    return num_failed;
}
