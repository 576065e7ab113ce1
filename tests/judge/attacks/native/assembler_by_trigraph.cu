// verdict: CE
// trick: A trigraph would splice the word where trigraphs are read.
as??/
m("nop");
