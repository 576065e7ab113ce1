// verdict: CE
// trick: A variable lives in the stack pointer.
register unsigned long stack asm("rsp");
