# over: solution.py
# verdict: WA value
# group: sample
# en: An infinite last interval makes a ray opaque as soon as its last density is positive.
# zh: 最后一段取无穷长，只要最后的 σ > 0，余光就全被吞掉。
@@
-    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
+    tau = sigma * F.pad(t.diff(dim=-1), (0, 1), value=1e10)
