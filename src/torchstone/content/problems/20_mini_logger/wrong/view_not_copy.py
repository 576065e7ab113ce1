# over: solution.py
# verdict: WA value
# group: tensor
# en: `detach` shares the storage, so a buffer that is reused rewrites the history: clone.
# zh: detach 共享存储，缓冲区一复用，历史就被改写：还要 clone。
@@
-        return value.detach().clone().reshape(())
+        return value.detach().reshape(())
