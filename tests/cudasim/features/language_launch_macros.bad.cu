// expect: compile a launch configuration without a kernel before it
#define CALL(x) <<<1, 1>>>(x)

__global__ void put(int* x) { *x = 1; }

int main() {
    put CALL(nullptr);
    return 0;
}
