// expect: nothing
// A struct of pointers passed by value; positions as float4, velocities as float2, ids as int4.
#include <cstdio>
#include <vector>

struct Particles {
    float4* position;  // x, y, z, mass
    float2* velocity;
    int4* ids;         // four particles share one
};

__global__ void move(Particles p, int n, float dt) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 position = p.position[i];
        float2 velocity = p.velocity[i];
        position.x += velocity.x * dt;
        position.y += velocity.y * dt;
        p.position[i] = position;
        p.velocity[i].x = -velocity.x;  // each thread its own element, in place
        if (i % 4 == 0) {
            int4 ids = p.ids[i / 4];
            p.ids[i / 4] = make_int4(ids.w, ids.z, ids.y, ids.x);
        }
    }
}

int main() {
    const int n = 100;
    std::vector<float4> position(n);
    std::vector<float2> velocity(n);
    std::vector<int> ids(n);
    for (int i = 0; i < n; ++i) {
        position[i] = make_float4(i, 2 * i, 3 * i, 1.0f);
        velocity[i] = make_float2(i % 5, i % 3);
        ids[i] = i;
    }
    Particles p;
    cudaMalloc(&p.position, n * sizeof(float4));
    cudaMalloc(&p.velocity, n * sizeof(float2));
    cudaMalloc(&p.ids, n * sizeof(int));
    cudaMemcpy(p.position, position.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(p.velocity, velocity.data(), n * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(p.ids, ids.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    move<<<2, 24>>>(p, n, 2.0f);
    cudaDeviceSynchronize();
    cudaMemcpy(position.data(), p.position, n * sizeof(float4), cudaMemcpyDeviceToHost);
    cudaMemcpy(velocity.data(), p.velocity, n * sizeof(float2), cudaMemcpyDeviceToHost);
    cudaMemcpy(ids.data(), p.ids, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(p.position);
    cudaFree(p.velocity);
    cudaFree(p.ids);
    for (int i = 0; i < n; ++i) {
        if (position[i].x != i + i % 5 * 2 || position[i].y != 2 * i + i % 3 * 2 ||
            velocity[i].x != -(i % 5) || velocity[i].y != i % 3 ||
            ids[i] != i / 4 * 4 + 3 - i % 4) {
            printf("particle %d is wrong\n", i);
            return 1;
        }
    }
    return 0;
}
