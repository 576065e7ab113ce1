// expect: compile read-only
__global__ void __launch_bounds__(64) axpy(const float* __restrict__ x, float* __restrict__ y) {
    x[threadIdx.x] = y[threadIdx.x];
}

int main() { return 0; }
