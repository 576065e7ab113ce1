// verdict: CE
// trick: The name of the file comes from a macro.
#define FILE_NAME "@SECRET@"
#include FILE_NAME
