// expect: nothing
// All-pairs gravity with float4 bodies and dynamic shared tiles; the last tile is filled with massless bodies.
#include <cmath>
#include <cstdio>
#include <vector>

extern __shared__ float4 shPosition[];

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai, float softeningSquared) {
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + softeningSquared;
    float invDist = rsqrtf(distSqr);
    float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

__device__ float3 tile_calculation(float4 myPosition, float3 accel, float eps2) {
#pragma unroll 8
    for (unsigned int i = 0; i < blockDim.x; i++) accel = bodyBodyInteraction(myPosition, shPosition[i], accel, eps2);
    return accel;
}

__global__ void integrateBodies(float4* __restrict__ newPos, const float4* __restrict__ oldPos, float4* vel, int n, float dt, float eps2) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    float4 position = index < n ? oldPos[index] : make_float4(0, 0, 0, 0);
    float3 accel = {0.0f, 0.0f, 0.0f};
    int tiles = (n + blockDim.x - 1) / blockDim.x;
    for (int tile = 0; tile < tiles; tile++) {
        int j = tile * blockDim.x + threadIdx.x;
        shPosition[threadIdx.x] = j < n ? oldPos[j] : make_float4(1e3f, 0, 0, 0);
        __syncthreads();
        accel = tile_calculation(position, accel, eps2);
        __syncthreads();
    }
    if (index >= n) return;
    float4 v = vel[index];
    v.x += accel.x * dt, v.y += accel.y * dt, v.z += accel.z * dt;
    position.x += v.x * dt, position.y += v.y * dt, position.z += v.z * dt;
    newPos[index] = position;
    vel[index] = v;
}

int main() {
    const int n = 75, p = 32, steps = 3;
    const float dt = 0.01f, eps2 = 0.05f;
    std::vector<float4> pos(n), vel(n, float4{}), got(n);
    for (int i = 0; i < n; i++) pos[i] = make_float4(sinf(i), cosf(2.f * i), sinf(3.f * i + 1), 0.1f + (i % 5) * 0.1f);
    float4 *d[2], *dv;
    for (auto& q : d) cudaMalloc(&q, n * sizeof(float4));
    cudaMalloc(&dv, n * sizeof(float4));
    cudaMemcpy(d[0], pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, vel.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; s++) integrateBodies<<<(n + p - 1) / p, p, p * sizeof(float4)>>>(d[(s + 1) & 1], d[s & 1], dv, n, dt, eps2);
    cudaMemcpy(got.data(), d[steps & 1], n * sizeof(float4), cudaMemcpyDeviceToHost);
    cudaFree(d[0]), cudaFree(d[1]), cudaFree(dv);
    for (int s = 0; s < steps; s++) {
        std::vector<float4> np = pos;
        for (int i = 0; i < n; i++) {
            double a[3] = {};
            for (int j = 0; j < n; j++) {
                double x = pos[j].x - pos[i].x, y = pos[j].y - pos[i].y, z = pos[j].z - pos[i].z;
                double k = pos[j].w / std::pow(x * x + y * y + z * z + eps2, 1.5);
                a[0] += x * k, a[1] += y * k, a[2] += z * k;
            }
            vel[i].x += a[0] * dt, vel[i].y += a[1] * dt, vel[i].z += a[2] * dt;
            np[i].x += vel[i].x * dt, np[i].y += vel[i].y * dt, np[i].z += vel[i].z * dt;
        }
        pos = np;
    }
    for (int i = 0; i < n; i++)
        if (fabsf(got[i].x - pos[i].x) + fabsf(got[i].y - pos[i].y) + fabsf(got[i].z - pos[i].z) > 1e-3f) {
            printf("body %d\n", i);
            return 1;
        }
    return 0;
}
