# over: solution.py
# verdict: RTE
# group: gpu
# en: An error of the GPU's callback stops the training.
# zh: GPU 回调出错，训练就停了。
@@
-        try:
-            return self.gpu()
-        except Exception:  # noqa: BLE001
-            return None
+        return self.gpu()
