# over: solution.py
# verdict: WA value
# group: small
# en: A later call finds a decayed rate; the base has to be kept apart.
# zh: 以后的调用看到的是衰减过的学习率；基准要另外保存。
@@
-        group.setdefault("base_lr", group["lr"])
+        group["base_lr"] = group["lr"]
