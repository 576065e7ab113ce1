// verdict: CE
// trick: The text of a file becomes a message of the compiler.
#include "@SECRET@"
