# over: solution.py
# verdict: WA value
# group: grad
# en: The default fine shares are computed in float32, and rays of float64 get them with half of the digits.
# zh: 默认的 u_fine 按 float32 计算，float64 的光线只得到一半的有效数字。
@@
-                middles = (torch.arange(num_fine, dtype=t.dtype) + 0.5) / num_fine
+                middles = ((torch.arange(num_fine) + 0.5) / num_fine).to(t.dtype)
