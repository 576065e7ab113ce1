// verdict: CE
// trick: A line that ends in a splice after a comment, and a comment in a string.
const char* text = "/*";
asm("nop");
const char* other = "*/";  // \
still a comment
