// verdict: CE
// trick: It includes itself without end.
#include __FILE__
