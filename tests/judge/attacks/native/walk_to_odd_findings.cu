// verdict: RTE | WA | OOB | RACE | CE | FORBIDDEN_OP
// trick: It forges findings of odd types.
// with: library.h
static int reach() {
    auto put = (long (*)(int, const void*, unsigned long))find("write");
    const char* const tree =
        R"({"d":{"random:findings":"[{\"kind\":\"RAW\",\"at\":7,\"places\":3},5]"}})";
    for (int fd = 3; put && fd < 64; fd++) {
        send(put, fd, 'L', "{\"d\":{}}");
        for (int i = 0; i < 50; i++) {
            send(put, fd, 'A', tree);
        }
    }
    return 0;
}
static const int reached = reach();
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
