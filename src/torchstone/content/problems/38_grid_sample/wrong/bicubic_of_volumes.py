# over: solution.py
# verdict: WA property
# group: edge
# en: bicubic is for images; of a volume it must raise.
# zh: bicubic 只用于图像；体数据要报错。
@@
-    if rank not in (4, 5) or grid.ndim != rank or (mode == "bicubic" and rank == 5):
+    if rank not in (4, 5) or grid.ndim != rank:
