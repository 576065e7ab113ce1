# over: solution.py
# verdict: WA property
# group: edge
# en: k < 0 raises ValueError.
# zh: k < 0 应抛 ValueError。
@@
-    if k < 0:
-        raise ValueError(f"smooth_union: k is {k}; the width of the blend cannot be negative.")
