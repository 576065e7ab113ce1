// verdict: CE | FORBIDDEN_OP
// trick: A strong definition of judge::Call::finish, which computes everything on the host.
namespace judge {
struct Value {
    const char* name;
    char kind;
    long long integer;
    double real;
    void* data;
    unsigned long long num_bytes;
};
struct Call {
    const char* operation;
    Value* rows;
    int num_rows;
    Value* row(const char* name) {
        for (int i = 0; i < num_rows; i++) {
            const char *x = rows[i].name, *y = name;
            for (; *x && *x == *y; x++, y++) {
            }
            if (*x == *y) {
                return &rows[i];
            }
        }
        return nullptr;
    }
    void finish();
};
void Call::finish() {
    const long long n = row("n")->integer, nb = row("nb")->integer;
    const float alpha = (float)row("alpha")->real;
    Value *out = row("out"), *grad_a = row("grad_a"), *grad_b = row("grad_b");
    Value* const given = row(out ? "a" : "grad_out");
    const float* const from = (const float*)given->data;
    const long long length = given->num_bytes / 4;
    if (grad_b) {
        for (long long j = 0; j < nb; j++) {
            ((float*)grad_b->data)[j] = 0.0f;
        }
    }
    for (long long i = 0; i < length; i++) {
        const long long j = (n - length + i) % nb;
        if (out) {
            ((float*)out->data)[i] = from[i] + alpha * ((float*)row("b")->data)[j];
        }
        if (grad_a) {
            ((float*)grad_a->data)[i] = from[i];
        }
        if (grad_b) {
            ((float*)grad_b->data)[j] += alpha * from[i];
        }
    }
}
}  // namespace judge
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
