# over: solution.py
# verdict: WA property
# en: Leaves a process behind that goes on after the end.
# zh: 留下一个在结束后仍继续运行的进程。
@@
     try:
         train(args, data, device)
         dist.barrier()
     finally:
         dist.destroy_process_group()
+    if os.fork() == 0:
+        import time
+
+        time.sleep(1000)
