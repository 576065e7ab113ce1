// verdict: CE
// trick: A letter of the word is spelt as a universal character name.
a\u0073m("nop");
