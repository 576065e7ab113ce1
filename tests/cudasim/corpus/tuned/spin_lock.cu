// expect: nothing
// A lock around two plain variables: taken by one thread per block, fences on both sides.
#include <cstdio>

struct Account {
    int balance, bookings;
};

__device__ int lock = 0;

__global__ void book(Account* account, const int* amounts) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
        __nanosleep(20);
    }
    __threadfence();
    account->balance += amounts[blockIdx.x];
    account->bookings += 1;
    __threadfence();
    atomicExch(&lock, 0);
}

int main() {
    const int blocks = 25;
    int amounts[blocks], want = 0, *d_amounts;
    Account account, *d_account;
    for (int i = 0; i < blocks; ++i) want += amounts[i] = i * 17 % 12 - 4;
    cudaMalloc(&d_amounts, sizeof(amounts));
    cudaMalloc(&d_account, sizeof(Account));
    cudaMemset(d_account, 0, sizeof(Account));
    cudaMemcpy(d_amounts, amounts, sizeof(amounts), cudaMemcpyHostToDevice);
    book<<<blocks, 32>>>(d_account, d_amounts);
    cudaMemcpy(&account, d_account, sizeof(Account), cudaMemcpyDeviceToHost);
    cudaFree(d_amounts);
    cudaFree(d_account);
    if (account.balance != want || account.bookings != blocks) {
        printf("balance %d after %d bookings, not %d\n", account.balance, account.bookings, want);
        return 1;
    }
    return 0;
}
