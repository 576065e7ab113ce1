// expect: device-pointer
#include <atomic>

int main() {
    std::atomic<int>* counter;
    cudaMalloc(&counter, sizeof *counter);
    cudaMemset(counter, 0, sizeof *counter);
    counter->fetch_add(1);  // of the device, and the host touches it
    cudaFree(counter);
    return 0;
}
