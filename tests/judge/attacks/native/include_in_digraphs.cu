// verdict: CE
// trick: The directive in digraphs, cut by a line.
%:inc\
lude "@SECRET@"
