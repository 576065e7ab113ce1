// verdict: CE
// trick: A pragma makes a symbol weak.
#pragma weak judge_launch
