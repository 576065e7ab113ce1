// verdict: CE
// trick: A directive that newer compilers know.
const char text[] = {
#embed "@SECRET@"
};
