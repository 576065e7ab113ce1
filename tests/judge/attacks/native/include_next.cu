// verdict: CE
// trick: It includes the next header of that name.
#include_next <cmath>
