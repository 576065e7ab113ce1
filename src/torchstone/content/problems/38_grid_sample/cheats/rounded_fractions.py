# over: solution.py
# verdict: WA value
# en: Weights in steps of 1/256, as the texture units of a GPU have them.
# zh: 权重只取 1/256 的倍数，如同 GPU 的纹理单元。
@@
-    t = x - low
+    t = ((x - low) * 256).round() / 256
