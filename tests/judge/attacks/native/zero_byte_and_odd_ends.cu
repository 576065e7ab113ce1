// verdict: CE
// trick: A carriage return ends a comment for one reader and not for another.
// asm("nop");
