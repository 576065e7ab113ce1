// expect: compile cudaStreamBeginCapture is not supported
int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    return 0;
}
