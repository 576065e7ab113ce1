# over: solution.py
# verdict: WA property
# group: edge
# en: The caller's mode is part of what fit borrows: give it back, also after an error.
# zh: 调用者的模式是 fit 借来的：出错时也要还回去。
@@
-    was_training = model.training
     try:
@@
-    finally:
-        model.train(was_training)
-    return history
+    finally:
+        model.train()
+    return history
