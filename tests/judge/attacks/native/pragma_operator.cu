// verdict: CE
// trick: The operator, which can come from a macro.
#define QUIET _Pragma("GCC diagnostic ignored \"-Wall\"")
QUIET
