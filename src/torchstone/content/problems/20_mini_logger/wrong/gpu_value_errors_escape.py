# over: solution.py
# verdict: RTE
# group: gpu
# en: Only errors of the system and of CUDA are caught; a callback that raises another Exception
#   stops the training.
# zh: 只捕获系统错误与 CUDA 错误；回调抛出其他 Exception 时，训练就停了。
@@
         try:
             return self.gpu()
-        except Exception:  # noqa: BLE001
+        except (OSError, RuntimeError):
             return None
