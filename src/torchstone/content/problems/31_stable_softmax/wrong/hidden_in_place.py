# over: solution.py
# verdict: INPUT_MUTATED
# group: small
# en: masked_fill_ writes into the caller's tensor; x and mask must stay as they were.
# zh: masked_fill_ 会写进调用者的张量；x 与 mask 都不得改动。
@@ def hide
-    return values if mask is None else values.masked_fill(~mask, filler)
+    return values if mask is None else values.detach().masked_fill_(~mask, filler) + 0 * values
