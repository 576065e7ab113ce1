# over: solution.py
# verdict: RTE | WA property
# group: two-nodes
# en: LOCAL_RANK picks the GPU; RANK identifies the process.
# zh: LOCAL_RANK 用来选 GPU，RANK 才是进程编号。
@@
-    if dist.get_rank() == 0:
+    if int(os.environ["LOCAL_RANK"]) == 0:
