# over: solution.py
# verdict: WA value
# group: scale
# en: Steps with inf and NaN in the gradients, and only then makes the scale smaller.
# zh: 梯度里有 inf、NaN 也照样更新，之后才缩小缩放因子。
@@
-        return None if self._bad[key] else optimizer.step(*args, **kwargs)
+        return optimizer.step(*args, **kwargs)
