// verdict: FORBIDDEN_OP
// trick: It ends with status 0 before anything is called.
extern "C" [[noreturn]] void _exit(int status);
struct Leave {
    Leave() { _exit(0); }
};
static Leave leave;
