# over: solution.py
# verdict: WA value
# group: sample
# en: Optical depth is per unit of length: normalise the directions.
# zh: 光学厚度按单位长度计：方向要先归一化。
@@
-    unit = dirs / torch.linalg.vector_norm(dirs, dim=-1, keepdim=True)
+    unit = dirs
