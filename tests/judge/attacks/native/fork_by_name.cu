// verdict: FORBIDDEN_OP
// trick: It declares fork by itself and calls it before anything is judged.
extern "C" int fork();

static const int child = fork();
