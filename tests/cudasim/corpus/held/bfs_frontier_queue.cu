// expect: nothing
// Breadth-first search by levels: a block keeps a shared queue of what it found and reserves room in the next frontier once.
#include <cstdio>
#include <queue>
#include <vector>

#define LOCAL_CAPACITY 24

__device__ unsigned int numCurrFrontier;

__global__ void bfs_kernel(const unsigned* srcPtrs, const unsigned* dst, unsigned* level, const unsigned* prevFrontier, unsigned* currFrontier,
                           unsigned numPrev, unsigned currLevel) {
    __shared__ unsigned local_s[LOCAL_CAPACITY];
    __shared__ unsigned count_s;
    if (threadIdx.x == 0) count_s = 0;
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < numPrev) {
        unsigned vertex = prevFrontier[i];
        for (unsigned edge = srcPtrs[vertex]; edge < srcPtrs[vertex + 1]; ++edge) {
            unsigned neighbor = dst[edge];
            if (atomicCAS(&level[neighbor], 0xFFFFFFFFu, currLevel) == 0xFFFFFFFFu) {
                const unsigned idx = atomicAdd(&count_s, 1);
                if (idx < LOCAL_CAPACITY) {
                    local_s[idx] = neighbor;
                } else {
                    const unsigned g = atomicAdd(&numCurrFrontier, 1);
                    currFrontier[g] = neighbor;
                }
            }
        }
    }
    __syncthreads();
    __shared__ unsigned start_s;
    const unsigned count = min(count_s, (unsigned)LOCAL_CAPACITY);
    if (threadIdx.x == 0) start_s = atomicAdd(&numCurrFrontier, count);
    __syncthreads();
    for (unsigned j = threadIdx.x; j < count; j += blockDim.x) currFrontier[start_s + j] = local_s[j];
}

int main() {
    const unsigned n = 301;
    std::vector<unsigned> ptr{0}, dst;
    for (unsigned v = 0; v < n; ++v) {
        for (unsigned k = 1; k <= 1 + v % 4; ++k) dst.push_back((v * k * 3 + k * 17) % n);
        ptr.push_back(dst.size());
    }
    unsigned *d_ptr, *d_dst, *d_level, *d_front[2];
    cudaMalloc(&d_ptr, ptr.size() * sizeof(unsigned));
    cudaMalloc(&d_dst, dst.size() * sizeof(unsigned));
    cudaMalloc(&d_level, n * sizeof(unsigned));
    for (auto& f : d_front) cudaMalloc(&f, n * sizeof(unsigned));
    cudaMemcpy(d_ptr, ptr.data(), ptr.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemcpy(d_dst, dst.data(), dst.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemset(d_level, 0xFF, n * sizeof(unsigned));
    unsigned root = 5, zero = 0, frontier = 1;
    cudaMemcpy(d_level + root, &zero, sizeof zero, cudaMemcpyHostToDevice);
    cudaMemcpy(d_front[0], &root, sizeof root, cudaMemcpyHostToDevice);
    for (unsigned level = 1; frontier > 0; ++level) {
        cudaMemcpyToSymbol(numCurrFrontier, &zero, sizeof zero);
        bfs_kernel<<<(frontier + 31) / 32, 32>>>(d_ptr, d_dst, d_level, d_front[(level + 1) % 2], d_front[level % 2], frontier, level);
        cudaMemcpyFromSymbol(&frontier, numCurrFrontier, sizeof frontier);
    }
    std::vector<unsigned> got(n), want(n, ~0u);
    cudaMemcpy(got.data(), d_level, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(d_ptr), cudaFree(d_dst), cudaFree(d_level), cudaFree(d_front[0]), cudaFree(d_front[1]);
    std::queue<unsigned> q;
    q.push(root);
    want[root] = 0;
    while (!q.empty()) {
        unsigned v = q.front();
        q.pop();
        for (unsigned e = ptr[v]; e < ptr[v + 1]; ++e)
            if (want[dst[e]] == ~0u) want[dst[e]] = want[v] + 1, q.push(dst[e]);
    }
    for (unsigned v = 0; v < n; ++v)
        if (got[v] != want[v]) {
            printf("vertex %u: %u, not %u\n", v, got[v], want[v]);
            return 1;
        }
    return 0;
}
