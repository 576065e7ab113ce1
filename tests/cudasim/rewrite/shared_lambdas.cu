__global__ void k(int* x, int n) {
    __shared__ int tile[4], sum;
    extern __shared__ int dynamic[];
    tile[0] = 1; sum = 2; dynamic[0] = 3;
    auto copies = [=](int i) { return tile[i] + n; };
    auto none = [](int i) { return tile[i] + sum; };
    auto writes = [=] { tile[1] = 10; dynamic[1] = 11; };
    auto all = [&] { return tile[0] + sum; };
    auto mixed = [&, n](int i) mutable -> int { n = 0; return dynamic[i]; };
    auto nested = [=](int i) { auto inner = [i] { return tile[i]; }; return inner() + sum; };
    auto shadow = [](const int* tile) { return tile[0]; };
    auto generic = [](auto i) noexcept { return tile[i] + dynamic[i]; };
    tile[0] = 5; writes();
    int other = 100;
    *x = copies(0) + none(0) + all() + mixed(1) + nested(0) + shadow(&other) + generic(1);
    EXPECT(*x == (5 + n) + 7 + 7 + 11 + 7 + 100 + 21);
}
#define AT(i) file[i]
#define AGAIN(i) AT(i)
__shared__ int file[3];
extern __shared__ __align__(16) unsigned char raw[];
namespace n { __shared__ float inside; __device__ float get() { return inside; } __global__ void set() { inside = 2; EXPECT(get() == 2); } }
__device__ int helper(int i) { return file[i]; }
__global__ void uses_file(int* x, int raw_size) {
    auto f = [=] { return AGAIN(1); };
    AGAIN(1) = 4; float* view = reinterpret_cast<float*>(raw); view[1] = 1.5f;
    *x = f() + helper(1) + (int)(((float*)raw)[1] * 2) + raw_size;
}
__global__ void own(int* file) { int raw = 3; file[0] = raw; }
int main() {
    int x = 0, file = 0;
    k<<<1, 1, 64>>>(&x, 3);
    uses_file<<<1, 1, 64>>>(&x, 10); EXPECT(x == 21);
    own<<<1, 1>>>(&file); EXPECT(file == 3);
    n::set<<<1, 1>>>();
    return num_failed;
}
