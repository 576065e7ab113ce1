# over: solution.py
# verdict: WA property
# group: errors
# en: GradcheckError is a RuntimeError; who catches all of these takes a fault of fn for a wrong
#   gradient.
# zh: GradcheckError 是 RuntimeError 的子类；把 RuntimeError 一并捕获，就把 fn 自身的错误当成了梯度错误。
@@ def gradcheck
-    except GradcheckError:
+    except RuntimeError:
