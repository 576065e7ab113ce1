// verdict: CE
// trick: The same as the preprocessor writes it.
# 1 "@SECRET@" 3
int x = ;
