# over: solution.py
# verdict: WA value | RTE
# group: sample
# en: The last interval ends at far; it is not as long as the one before.
# zh: 最后一段止于 far，长度与前一段不同。
@@
-    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
+    delta = t.diff(dim=-1)
+    tau = sigma * torch.cat([delta, delta[:, -1:]], -1)
