// verdict: CE
// trick: It says that its lines are those of another file, which messages quote.
#line 1 "@SECRET@"
int x = ;
