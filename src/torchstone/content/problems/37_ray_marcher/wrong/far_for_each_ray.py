# over: solution.py
# verdict: RTE
# group: small
# en: far may be 0-d.
# zh: far 可以是 0 维。
@@
-    far = far.expand(len(t))
