struct S { float a; int b; };
template <class T> struct Traits { using type = T; template <int K> struct In { using type = T; }; static constexpr int n = 4; };
template <class T, int M> __global__ void all(T* x) {
    __shared__ typename Traits<T>::type a[M][Traits<T>::n], b;
    __shared__ typename Traits<T>::template In<M>::type c;
    __shared__ S s[M];
    __shared__ struct { T u; int v[3]; } one, two[2];
    __shared__ union U { float f; int i; } un;
    volatile __shared__ float v[3];
    float __shared__ w[3];
    __shared__ float (*pointer)[3], *q;
    __shared__ unsigned long long int wide;
    static __shared__ const ::S* text;
    __shared__ float al[4] __attribute__((aligned(32)));
    EXPECT(slot_alignment == 32);
    __shared__ __align__(16) char ch[sizeof(S) < 4 ? 3 : 2];
    EXPECT(slot_alignment == 16 && sizeof(ch) == 2);
    alignas(double) alignas(T) __shared__ char ch2[1 << 2];
    EXPECT(slot_alignment == 8 && slot_line == __LINE__ - 1);
    __shared__
        int late
        [2], later;
    EXPECT(slot_line == __LINE__ - 1);
    { __shared__ int late[5]; EXPECT(sizeof(late) == 20); for (;;) { __shared__ T late; late = 1; break; } }
    a[M - 1][3] = b = c = 1; s[M - 1].b = 2; one.v[2] = 3; two[1].u = 4; un.i = 5; v[2] = 6; w[2] = 7;
    pointer = &w; q = w; wide = 1; text = s; al[0] = ch[0] = ch2[0] = late[0] = later = 8;
    *x = a[M - 1][3] + b + c + text[M - 1].b + one.v[2] + two[1].u + un.i + v[2] + (*pointer)[2] + q[2] + wide + later;
}
int main() {
    float f = 0; double d = 0;
    all<float, 3><<<1, 1>>>(&f); all<double, 5><<<1, 1>>>(&d);
    EXPECT(f == d && f == 46);
    return num_failed;
}
