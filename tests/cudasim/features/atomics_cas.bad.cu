// expect: compile atomicMax
__global__ void largest(float* out, const float* in) { atomicMax(out, in[threadIdx.x]); }

int main() { return 0; }
