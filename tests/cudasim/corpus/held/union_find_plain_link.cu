// expect: race
// Connected components: two roots are found and the larger is linked by a plain store, so a link made in between is lost.
#include <cstdio>
#include <vector>

struct DisjointSets {
    int* parent;
    __device__ int find(int v) const {
        int p = parent[v];  // <- race
        while (p != v) {
            v = p;
            p = parent[v];  // <- race
        }
        return v;
    }
    __device__ void unite(int a, int b) {
        a = find(a);
        b = find(b);
        if (a == b) return;
        if (a < b) {
            int t = a;
            a = b;
            b = t;
        }
        parent[a] = b;  // <- race
    }
};

__global__ void init(DisjointSets s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s.parent[i] = i;
}

__global__ void link(DisjointSets s, const int2* edges, int m) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m) s.unite(edges[e].x, edges[e].y);
}

int main() {
    const int n = 90, m = 120;
    std::vector<int2> edges(m);
    for (int e = 0; e < m; e++) edges[e] = {(e * 7) % n, (e * 11 + 3) % n};
    DisjointSets s;
    int2* d_edges;
    cudaMalloc(&s.parent, n * sizeof(int));
    cudaMalloc(&d_edges, m * sizeof(int2));
    cudaMemcpy(d_edges, edges.data(), m * sizeof(int2), cudaMemcpyHostToDevice);
    init<<<3, 32>>>(s, n);
    link<<<4, 32>>>(s, d_edges, m);
    std::vector<int> p(n);
    cudaMemcpy(p.data(), s.parent, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", p[n - 1]);
    cudaFree(s.parent);
    cudaFree(d_edges);
    return 0;
}
