#define LAUNCH(kernel, grid, block, ...) do { kernel<<<grid, block>>>(__VA_ARGS__); } while (0)
#define RUN(name, T, ...) name##_##T<<<1, 32>>>(__VA_ARGS__)
#define WITH(kernel, args) kernel<<<1, 32>>>args
#define ONE(kernel, x) kernel<<<1, 32>>>(x)
#define LONG(kernel) kernel<<<1, \
    33>>>()
#define FIXED(x) put_int<<<1, 2>>>(x, NULL)
#define KERNEL(name, T) __global__ void name##_##T(T* x, T* y) { __shared__ T buf[32]; buf[0] = y ? *y : 5; *x = buf[0]; }
KERNEL(put, int)
KERNEL(put, float)
#define SHARED __shared__
#define ARRAY(T, n, c) __shared__ T n[c], n##_more
#define DYNAMIC(T, n) extern __shared__ T n[]
#define HD __host__ __device__
#define CONFIG 2, 3
__global__ void none() {}
__global__ void use(int* x) {
    SHARED int a[4], b;
    ARRAY(int, c, 12);
    ARRAY(float, d, 3);
    DYNAMIC(int, e);
    a[0] = 1; b = 2; c[11] = 3; d[2] = 4; c_more = 5; d_more = 6; e[1] = 7;
    *x = a[0] + b + c[11] + (int)d[2] + c_more + (int)d_more + e[1];
}
HD int half(int x) { return x / 2; }
#if 0
It is only prose <<< tex2D( __shared__
#endif
int main() {
    int x = 0, y = 9; float f = 0;
    RUN(put, int, &x, &y); EXPECT(x == 9); EXPECT_NAME("put_int");
    RUN(put, float, &f, nullptr); EXPECT(f == 5);
    FIXED(&x); EXPECT(x == 5);
    LAUNCH(use, 1, 2, &x); EXPECT(x == 28);
    LAUNCH(none, 1, 2); WITH(none, ()); ONE(none, ); LONG(none); EXPECT(last_block.x == 33);
    x = 0; WITH(use, (&x)); EXPECT(x == 28); x = 0; ONE(use, &x); EXPECT(x == 28);
    WITH(put_int, (&x, &y)); EXPECT(x == 9);
    use<<<CONFIG>>>(&x); EXPECT(last_grid.x == 2 && last_block.x == 3);
    if (half(2)) LAUNCH(none, 1, 2); else LAUNCH(none, 1, 4);
    EXPECT(last_block.x == 2);
    return num_failed;
}
