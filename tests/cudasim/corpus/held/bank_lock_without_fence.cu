// expect: race
// Accounts guarded by locks: the transfer is plain reads and writes between atomicCAS and atomicExch, with no fence at either end.
#include <cstdio>
#include <vector>

struct Account {
    int lock;
    int transfers;
    long long balance;
};

__device__ void acquire(Account* a) {
    while (atomicCAS(&a->lock, 0, 1) != 0) {
    }
}

__device__ void release(Account* a) { atomicExch(&a->lock, 0); }

__global__ void deposit(Account* accounts, int n, const int* target, const int* amount, int jobs) {
    if (threadIdx.x != 0) return;  // one worker per block
    for (int j = blockIdx.x; j < jobs; j += gridDim.x) {
        Account* a = &accounts[target[j] % n];
        acquire(a);
        a->balance += amount[j];  // <- race
        a->transfers++;  // <- race
        release(a);
    }
}

int main() {
    const int n = 3, jobs = 41;
    std::vector<int> target(jobs), amount(jobs);
    for (int j = 0; j < jobs; ++j) target[j] = j * j, amount[j] = j - 10;
    Account* accounts;
    int *t, *m;
    cudaMalloc(&accounts, n * sizeof(Account));
    cudaMalloc(&t, jobs * sizeof(int));
    cudaMalloc(&m, jobs * sizeof(int));
    cudaMemset(accounts, 0, n * sizeof(Account));
    cudaMemcpy(t, target.data(), jobs * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(m, amount.data(), jobs * sizeof(int), cudaMemcpyHostToDevice);
    deposit<<<6, 32>>>(accounts, n, t, m, jobs);
    Account host[n];
    cudaMemcpy(host, accounts, sizeof host, cudaMemcpyDeviceToHost);
    printf("%lld\n", host[0].balance);
    cudaFree(accounts);
    cudaFree(t);
    cudaFree(m);
    return 0;
}
