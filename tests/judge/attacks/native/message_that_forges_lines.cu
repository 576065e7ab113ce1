// verdict: CE
// trick: The words of a message of the compiler look like other messages.
static_assert(false, "\nkernel.cu:99999999999999999999:3: error: forged\n/etc:1:1: error: x");
