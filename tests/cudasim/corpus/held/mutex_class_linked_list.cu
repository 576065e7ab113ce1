// expect: nothing
// A sorted list per bucket, guarded by a mutex class with fences; one lane per warp inserts, nodes come from a pool.
#include <cstdio>
#include <set>
#include <vector>

class Mutex {
    int state;

  public:
    __device__ void lock() {
        while (atomicCAS(&state, 0, 1)) __nanosleep(20);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&state, 0);
    }
};

class Guard {
    Mutex& m;

  public:
    __device__ explicit Guard(Mutex& m) : m(m) { m.lock(); }
    __device__ ~Guard() { m.unlock(); }
};

struct Node {
    int value, next;
};

struct Lists {
    Mutex* locks;
    volatile int* heads;
    volatile Node* pool;
    int* used;
    int buckets;
};

__global__ void insert_all(Lists l, const int* values, int n) {
    for (int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; w < n; w += gridDim.x * blockDim.x / 32) {
        if ((threadIdx.x & 31) == 0) {
            int v = values[w], b = v % l.buckets;
            Guard guard(l.locks[b]);
            int prev = -1, cur = l.heads[b];
            while (cur >= 0 && l.pool[cur].value < v) prev = cur, cur = l.pool[cur].next;
            if (cur < 0 || l.pool[cur].value != v) {
                int fresh = atomicAdd(l.used, 1);
                l.pool[fresh].value = v;
                l.pool[fresh].next = cur;
                if (prev < 0)
                    l.heads[b] = fresh;
                else
                    l.pool[prev].next = fresh;
            }
        }
        __syncwarp();
    }
}

int main() {
    const int n = 150, buckets = 5;
    std::vector<int> v(n), heads(buckets);
    for (int i = 0; i < n; ++i) v[i] = i * 37 % 101;
    Lists l;
    int *dv, *dh;
    Node* pool;
    l.buckets = buckets;
    cudaMalloc(&l.locks, buckets * sizeof(Mutex));
    cudaMalloc(&dh, buckets * sizeof(int));
    cudaMalloc(&pool, n * sizeof(Node));
    cudaMalloc(&l.used, sizeof(int));
    cudaMalloc(&dv, n * sizeof(int));
    cudaMemset(l.locks, 0, buckets * sizeof(Mutex));
    cudaMemset(dh, -1, buckets * sizeof(int));
    cudaMemset(l.used, 0, sizeof(int));
    cudaMemcpy(dv, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    l.heads = dh;
    l.pool = pool;
    insert_all<<<4, 64>>>(l, dv, n);
    int used;
    std::vector<Node> nodes(n);
    cudaMemcpy(&used, l.used, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(nodes.data(), pool, used * sizeof(Node), cudaMemcpyDeviceToHost);
    cudaMemcpy(heads.data(), dh, buckets * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(l.locks), cudaFree(dh), cudaFree(pool), cudaFree(l.used), cudaFree(dv);
    std::set<int> want(v.begin(), v.end()), got;
    for (int b = 0; b < buckets; ++b) {
        int last = -1;
        for (int i = heads[b]; i >= 0; i = nodes[i].next) {
            if (nodes[i].value <= last || nodes[i].value % buckets != b) return 2;
            got.insert(last = nodes[i].value);
        }
    }
    if (got != want) printf("%zu values, not %zu\n", got.size(), want.size());
    return got != want;
}
