# over: solution.py
# verdict: WA grad
# group: scale
# en: exp(d / tau) without a shift overflows, and 0 times infinity is NaN: let softmax do it.
# zh: 不先减最大值，exp(d/τ) 会溢出，0·∞ 得到 NaN：交给 softmax 来做。
@@
-    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    inverse = 1 / torch.exp(gaps / temperature)
+    weights = inverse / inverse.sum(dim=-1, keepdim=True)
