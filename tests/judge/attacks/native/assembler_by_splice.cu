// verdict: CE
// trick: The word is cut by the end of a line.
as\
m("nop");
