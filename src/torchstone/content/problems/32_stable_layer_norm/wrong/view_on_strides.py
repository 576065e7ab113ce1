# over: solution.py
# verdict: RTE
# group: layout
# en: flatten and reshape copy where they must; view refuses such strides.
# zh: flatten 和 reshape 必要时会复制；view 遇到这样的步幅会报错。
@@
-    rows = x.flatten(-len(shape)).to(wide)
+    rows = x.view(*x.shape[: x.ndim - len(shape)], math.prod(shape)).to(wide)
