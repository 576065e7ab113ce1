# over: solution.py
# verdict: WA property
# group: sample
# en: `every` counts calls; the number of the step may jump, repeat or be negative.
# zh: every 数的是调用次数；步号可能跳变、重复或为负。
@@
-        return self.write() if self.calls == self.every else None
+        return self.write() if step % self.every == 0 else None
