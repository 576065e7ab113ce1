// verdict: CE
// trick: The directive of another compiler.
#import "@SECRET@"
