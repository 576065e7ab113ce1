// verdict: RTE | WA | OOB | RACE | CE | FORBIDDEN_OP
// trick: It forges a finding of the detectors that lacks what every finding has.
// with: library.h
static int reach() {
    auto put = (long (*)(int, const void*, unsigned long))find("write");
    for (int fd = 3; put && fd < 64; fd++) {
        send(put, fd, 'L', "{\"d\":{}}");
        for (int i = 0; i < 50; i++) {
            send(put, fd, 'A', "{\"d\":{\"random:findings\":\"[{\\\"kind\\\":\\\"RAW\\\"}]\"}}");
        }
    }
    return 0;
}
static const int reached = reach();
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
