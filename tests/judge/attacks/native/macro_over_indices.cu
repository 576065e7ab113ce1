// verdict: CE
// trick: It redefines the built-in names.
#define threadIdx blockIdx
