// expect: nothing
// All-pairs forces: bodies pass through shared memory as float4 tiles, the last one is partial.
#include <cmath>
#include <cstdio>
#include <vector>

__host__ __device__ inline float3 pull(float4 a, float4 b, float3 sum) {
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float square = dx * dx + dy * dy + dz * dz + 0.01f;
    float scale = b.w / (square * sqrtf(square));
    return make_float3(sum.x + dx * scale, sum.y + dy * scale, sum.z + dz * scale);
}

__global__ void forces(const float4* bodies, float3* out, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int start = 0; start < n; start += blockDim.x) {
        if (start + threadIdx.x < n) tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        int count = min(static_cast<int>(blockDim.x), n - start);
        for (int j = 0; j < count; ++j) sum = pull(mine, tile[j], sum);
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}

int main() {
    const int n = 75, threads = 32;
    std::vector<float4> bodies(n);
    std::vector<float3> out(n);
    for (int i = 0; i < n; ++i) {
        bodies[i] = make_float4(i * 7 % 11, i * 5 % 13, i * 3 % 17, 1.0f + i % 2);
    }
    float4* d_bodies;
    float3* d_out;
    cudaMalloc(&d_bodies, n * sizeof(float4));
    cudaMalloc(&d_out, n * sizeof(float3));
    cudaMemcpy(d_bodies, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    forces<<<(n + threads - 1) / threads, threads, threads * sizeof(float4)>>>(d_bodies, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float3), cudaMemcpyDeviceToHost);
    cudaFree(d_bodies);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        float3 want = make_float3(0.0f, 0.0f, 0.0f);
        for (int j = 0; j < n; ++j) want = pull(bodies[i], bodies[j], want);
        if (std::fabs(out[i].x - want.x) + std::fabs(out[i].y - want.y) > 1e-2f) {
            printf("force on %d is %f %f, not %f %f\n", i, out[i].x, out[i].y, want.x, want.y);
            return 1;
        }
    }
    return 0;
}
