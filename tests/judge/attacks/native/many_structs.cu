// verdict: CE
// trick: Structures inside of structures, deeper than who reads them can follow.
@REPEAT:5000:struct S{@
