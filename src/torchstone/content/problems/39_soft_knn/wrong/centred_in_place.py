# over: solution.py
# verdict: INPUT_MUTATED
# group: sample
# en: Centring in place changes the caller's tensors.
# zh: 就地平移改动了调用者的张量。
@@
-    if return_weights:
+    with torch.no_grad():
+        query -= 1
+        points -= 1
+    if return_weights:
