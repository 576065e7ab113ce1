# over: solution.py
# verdict: RTE
# group: small
# en: A reentrant checkpoint refuses torch.autograd.grad; pass use_reentrant=False.
# zh: 可重入的 checkpoint 不支持 torch.autograd.grad；应写 use_reentrant=False。
@@
-            use_reentrant=False,
+            use_reentrant=True,
