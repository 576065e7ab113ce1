# over: solution.py
# verdict: WA property | RTE
# group: errors
# en: The bytes of a double are not two floats.
# zh: 一个 double 的字节并不是两个 float。
@@
-    if a.dtype != torch.float32 or b.dtype != torch.float32:
-        raise TypeError(f"add: float32 is wanted, got {a.dtype} and {b.dtype}")
