__constant__ const float table[] = {1.f, 2.f};
__device__ int d1, *d2 = &d1, d3[2][3] = {{1, 2, 3}, {4, 5, 6}};
static __device__ unsigned long long total;
__device__ __managed__ float managed[3];
extern __constant__ int outside;
namespace ns { __device__ float inside = 1.0f; static __constant__ struct P { int a, b; } point; }
__device__ float (*function)(float, int) = nullptr;
__device__ dim3 made(1, 2, 3);
__constant__ int braced{3};
__device__ volatile int flag;
__constant__ alignas(16) float aligned_one[4];
#define CONSTANT __constant__
CONSTANT float aliased = 2;
template <class T> __device__ T general(T a) { return a; }
__device__ float forward(float);
__device__ inline float forward(float x) { return x; }
struct V {
    float x;
    __device__ V operator+(const V& o) const { return V{x + o.x}; }
    __host__ __device__ V(float a) : x{a} {}
    static const int q = 3;
};
__host__ __device__ V operator*(V a, V b) { return V(a.x * b.x); }
int main() {
    EXPECT(std::strcmp(symbol_names, "table d1 d2 d3 total managed inside point function made braced "
                                     "flag aligned_one aliased ") == 0);
    EXPECT(d3[1][2] == 6 && braced == 3 && d2 == &d1);
    return num_failed;
}
