# over: solution.py
# verdict: WA property
# group: overlap
# en: A bucket is closed before the parameter that would exceed the cap, not behind it.
# zh: 超出上限的那个参数放进去之前就要封桶，而不是之后。
@@
-        fits = last and open_bytes + parameter.nbytes <= cap_bytes
+        fits = last and open_bytes <= cap_bytes
