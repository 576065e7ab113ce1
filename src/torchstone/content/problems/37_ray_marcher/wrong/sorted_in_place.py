# over: solution.py
# verdict: INPUT_MUTATED
# group: sample
# en: Nothing that came is changed.
# zh: 不改动任何输入。
@@
-    mass = weights.clamp(min=0) + eps
+    mass = weights.clamp_(min=0).add_(eps)
