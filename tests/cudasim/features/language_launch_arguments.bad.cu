// expect: compile no matching function for call
#include <cstdio>

struct Buffer {
    int* place;
};
template <class F>
__global__ void put(int* out, F f) {
    *out = f;
}

int main() {
    Buffer out{};
    put<<<1, 1>>>(out, 3);
    return 0;
}
