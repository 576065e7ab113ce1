// expect: error cudaErrorInvalidValue
__global__ void nothing() {}

int main() {
    int blocks = 0;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0) !=
           cudaErrorInvalidValue;
}
