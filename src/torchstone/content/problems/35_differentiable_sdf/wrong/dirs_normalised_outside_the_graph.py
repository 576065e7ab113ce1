# over: solution.py
# verdict: WA grad
# group: sample
# en: The gradient must pass through the normalisation: d̂ does not change along dirs.
# zh: 梯度必须穿过归一化：沿 dirs 方向变化时 d̂ 不变。
@@
-    unit = dirs / norm(dirs)[..., None]
+    unit = dirs / norm(dirs).detach()[..., None]
