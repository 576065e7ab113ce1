# over: solution.py
# verdict: WA value
# group: sample
# en: The share is of all entries; small tensors do not count like large ones.
# zh: 比例是对全部元素而言；小张量不能与大张量等量齐观。
@@
-    beyond = sum(int((gradient.abs() > limit).sum()) for gradient in gradients)
-    return beyond / sum(gradient.numel() for gradient in gradients)
+    shares = [float((gradient.abs() > limit).double().mean()) for gradient in gradients]
+    return sum(shares) / len(shares)
