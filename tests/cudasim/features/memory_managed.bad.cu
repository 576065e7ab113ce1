// expect: error cudaErrorInvalidValue
int main() {
    int* nothing;
    return cudaMallocManaged(&nothing, 0) != cudaErrorInvalidValue;
}
