// expect: compile ambiguous
namespace one {
__device__ int value(int x) { return x; }
}
namespace two {
__device__ int value(int x) { return -x; }
}
using namespace one;
using namespace two;

__global__ void run(int* out) { out[threadIdx.x] = value(1); }

int main() { return 0; }
