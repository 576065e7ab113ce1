// expect: invalid-free
int main() {
    char* data;
    cudaMalloc(&data, 1000);
    const cudaError_t inside = cudaFree(data + 16);
    const cudaError_t first = cudaFree(data), second = cudaFree(data);
    return inside == cudaSuccess || first != cudaSuccess || second == cudaSuccess;
}
