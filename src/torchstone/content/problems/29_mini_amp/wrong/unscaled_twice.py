# over: solution.py
# verdict: WA property
# group: protocol
# en: A second unscale_ before update divides again instead of raising.
# zh: update 之前再次调用 unscale_ 没有报错，又除了一遍。
@@
-        if key in self._bad:
-            raise RuntimeError("unscale_() was already called since the last update().")
