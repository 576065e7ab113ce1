// expect: error cudaErrorUnsupportedLimit
int main() {
    size_t value;
    return cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)) != cudaErrorUnsupportedLimit;
}
