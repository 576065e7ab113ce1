// expect: error cudaErrorInvalidSymbol
int on_host = 1;

int main() {
    const int value = 2;
    const cudaError_t error = cudaMemcpyToSymbol(on_host, &value, sizeof value);
    return error != cudaErrorInvalidSymbol || on_host != 1;
}
