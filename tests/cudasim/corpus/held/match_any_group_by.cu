// expect: nothing
// Group-by with sums: lanes with the same key find each other by __match_any_sync and add up by a loop over the mask.
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

struct Entry {
    uint32_t key;
    uint32_t count;
    unsigned long long sum;
};

constexpr uint32_t EMPTY = 0xffffffffu;

__global__ void clear(Entry* table, unsigned size) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) table[i] = Entry{EMPTY, 0u, 0ull};
}

__device__ Entry* find_or_insert(Entry* table, unsigned mask, uint32_t key) {
    unsigned slot = (key * 0x9E3779B1u) >> 16 & mask;
    while (true) {
        uint32_t prev = atomicCAS(&table[slot].key, EMPTY, key);
        if (prev == EMPTY || prev == key) return table + slot;
        slot = (slot + 1) & mask;
    }
}

__global__ void aggregate(const uint32_t* __restrict__ keys, const uint32_t* __restrict__ values, int n, Entry* table, unsigned mask) {
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
    for (int base = warp * 32; base < n; base += warps * 32) {
        const bool active = base + lane < n;
        const unsigned who = __ballot_sync(~0u, active);
        if (!active) continue;  // the last round of this warp: nobody comes back
        const uint32_t key = keys[base + lane];
        uint32_t value = values[base + lane];
        const unsigned peers = __match_any_sync(who, key);
        unsigned long long sum = 0;
        for (unsigned rest = who; rest; rest &= rest - 1) {
            int from = __ffs(rest) - 1;
            uint32_t v = __shfl_sync(who, value, from);
            if (peers >> from & 1) sum += v;
        }
        if (lane == 31 - __clz(peers)) {
            Entry* e = find_or_insert(table, mask, key);
            atomicAdd(&e->count, __popc(peers));
            atomicAdd(&e->sum, sum);
        }
    }
}

int main() {
    const int n = 715;
    const unsigned size = 64;
    std::vector<uint32_t> k(n), v(n);
    std::map<uint32_t, std::pair<uint32_t, unsigned long long>> want;
    for (int i = 0; i < n; ++i) {
        k[i] = i * i % 41 * 1000;
        v[i] = i;
        auto& [c, s] = want[k[i]];
        c++, s += i;
    }
    uint32_t *dk, *dv;
    Entry* table;
    cudaMalloc(&dk, n * 4);
    cudaMalloc(&dv, n * 4);
    cudaMalloc(&table, size * sizeof(Entry));
    cudaMemcpy(dk, k.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), n * 4, cudaMemcpyHostToDevice);
    clear<<<2, 32>>>(table, size);
    aggregate<<<3, 96>>>(dk, dv, n, table, size - 1);
    std::vector<Entry> got(size);
    cudaMemcpy(got.data(), table, size * sizeof(Entry), cudaMemcpyDeviceToHost);
    cudaFree(dk), cudaFree(dv), cudaFree(table);
    size_t found = 0;
    for (auto& [key, count, sum] : got) {
        if (key == EMPTY) continue;
        ++found;
        if (!want.count(key) || want[key].first != count || want[key].second != sum) {
            printf("key %u: %u, %llu\n", key, count, sum);
            return 1;
        }
    }
    return found != want.size();
}
