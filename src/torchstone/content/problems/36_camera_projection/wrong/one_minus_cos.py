# over: solution.py
# verdict: WA value
# group: scale
# en: 1 - cos(theta) cancels: in float32 it is 0 for every theta below 2e-4.
# zh: 1 − cos θ 相消：float32 中 θ < 2e-4 时它就是 0。
@@
-SMALL = 1.0
+SMALL = 1e-14
@@
-        half * half / 2,
+        (1 - theta.cos()) / theta**2,
