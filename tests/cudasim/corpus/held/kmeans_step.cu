// expect: nothing
// One step of k-means: nearest centre, sums per block in shared memory, then means.
#include <cstdio>
#include <vector>

constexpr int K = 5;

__global__ void assign(const int2* points, int n, const int2* centres, int3* totals) {
    __shared__ int2 near_by[K];
    __shared__ int sum_x[K], sum_y[K], count[K];
    if (threadIdx.x < K) {
        near_by[threadIdx.x] = centres[threadIdx.x];
        sum_x[threadIdx.x] = sum_y[threadIdx.x] = count[threadIdx.x] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int best = 0, least = 1 << 30;
        for (int k = 0; k < K; ++k) {
            int dx = points[i].x - near_by[k].x, dy = points[i].y - near_by[k].y;
            if (dx * dx + dy * dy < least) {
                least = dx * dx + dy * dy;
                best = k;
            }
        }
        atomicAdd(&sum_x[best], points[i].x);
        atomicAdd(&sum_y[best], points[i].y);
        atomicAdd(&count[best], 1);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        atomicAdd(&totals[threadIdx.x].x, sum_x[threadIdx.x]);
        atomicAdd(&totals[threadIdx.x].y, sum_y[threadIdx.x]);
        atomicAdd(&totals[threadIdx.x].z, count[threadIdx.x]);
    }
}

__global__ void update(int2* centres, const int3* totals) {
    int3 total = totals[threadIdx.x];
    if (total.z > 0) centres[threadIdx.x] = make_int2(total.x / total.z, total.y / total.z);
}

int main() {
    const int n = 210;
    std::vector<int2> points(n);
    int2 centres[K], out[K], *d_points, *d_centres;
    int3 totals[K] = {}, *d_totals;
    for (int i = 0; i < n; ++i) points[i] = make_int2(i * 61 % 100, i * 37 % 90);
    for (int k = 0; k < K; ++k) centres[k] = points[k * 40];
    cudaMalloc(&d_points, n * sizeof(int2));
    cudaMalloc(&d_centres, sizeof(centres));
    cudaMalloc(&d_totals, sizeof(totals));
    cudaMemset(d_totals, 0, sizeof(totals));
    cudaMemcpy(d_points, points.data(), n * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemcpy(d_centres, centres, sizeof(centres), cudaMemcpyHostToDevice);
    assign<<<5, 45>>>(d_points, n, d_centres, d_totals);
    update<<<1, K>>>(d_centres, d_totals);
    cudaMemcpy(out, d_centres, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_points);
    cudaFree(d_centres);
    cudaFree(d_totals);
    for (int2 p : points) {
        int best = 0, least = 1 << 30;
        for (int k = 0; k < K; ++k) {
            int dx = p.x - centres[k].x, dy = p.y - centres[k].y;
            if (dx * dx + dy * dy < least) least = dx * dx + dy * dy, best = k;
        }
        totals[best].x += p.x, totals[best].y += p.y, totals[best].z += 1;
    }
    for (int k = 0; k < K; ++k) {
        if (out[k].x != totals[k].x / totals[k].z || out[k].y != totals[k].y / totals[k].z) {
            printf("centre %d is at %d %d\n", k, out[k].x, out[k].y);
            return 1;
        }
    }
    return 0;
}
