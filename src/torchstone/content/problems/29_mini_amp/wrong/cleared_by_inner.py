# over: solution.py
# verdict: WA property
# group: cache
# en: Leaving an inner region throws the copies of the outermost one away, and every copy is
#     made for one region only.
# zh: 离开内层区域时丢掉了最外层的副本，而且每份副本只供一个区域使用。
@@
-            local.copies.clear()
+        local.copies.clear()
@@
-    key = id(x), dtype, torch.is_grad_enabled()
+    key = id(x), dtype, torch.is_grad_enabled(), len(local.regions)
