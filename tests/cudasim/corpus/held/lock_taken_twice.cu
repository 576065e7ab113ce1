// expect: deadlock timeout
// A function that locks calls another one that takes the same lock again.
#include <cuda_runtime.h>

struct Account {
    int lock, balance;
};

__device__ void acquire(Account* account) {
    while (atomicCAS(&account->lock, 0, 1) != 0) {  // <- deadlock timeout
    }  // <- deadlock timeout
    __threadfence();
}

__device__ void release(Account* account) {
    __threadfence();
    atomicExch(&account->lock, 0);
}

__device__ void pay_in(Account* account, int amount) {
    acquire(account);
    account->balance += amount;
    release(account);
}

__global__ void transfer(Account* from, Account* to, int amount) {
    acquire(from);
    from->balance -= amount;
    pay_in(to, amount);
    release(from);
}

int main() {
    Account accounts[2] = {{0, 100}, {0, 50}}, *d_accounts;
    cudaMalloc(&d_accounts, sizeof(accounts));
    cudaMemcpy(d_accounts, accounts, sizeof(accounts), cudaMemcpyHostToDevice);
    transfer<<<1, 1>>>(d_accounts, d_accounts + 1, 10);
    transfer<<<1, 1>>>(d_accounts + 1, d_accounts + 1, 10);
    cudaDeviceSynchronize();
    cudaFree(d_accounts);
    return 0;
}
