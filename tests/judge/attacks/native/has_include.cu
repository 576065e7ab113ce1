// verdict: CE
// trick: It asks which files there are.
#if __has_include("@SECRET@")
const int found = 1;
#endif
