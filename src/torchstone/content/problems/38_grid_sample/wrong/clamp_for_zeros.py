# over: solution.py
# verdict: WA value
# group: small
# en: Clamping the index repeats the edge, which is border; zeros leaves each corner outside out.
# zh: 把下标截到界内是重复边缘，即 border；zeros 要略去每个界外的角点。
@@
     inside = (position >= 0) & (position <= size - 1)
+    if size > 0:
+        inside = torch.ones_like(inside)
     return position.clamp(0, size - 1).long(), torch.where(inside, weight, 0.0)
