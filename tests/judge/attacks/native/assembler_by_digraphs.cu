// verdict: CE
// trick: The parts are pasted by a digraph.
%:define JOIN(a, b) a%:%:b
JOIN(__as, m__)("nop");
