// verdict: CE
// trick: The attribute in the spelling of the standard.
[[gnu::constructor]] static void first() {}
