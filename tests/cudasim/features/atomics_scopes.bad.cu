// expect: compile atomicAdd_warp
__global__ void run(int* cell) { atomicAdd_warp(cell, 1); }

int main() { return 0; }
