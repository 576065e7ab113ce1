// verdict: CE
// trick: A pragma saves and restores what a macro meant.
#pragma push_macro("__global__")
