# over: good/queues.py
# verdict: WA property
# group: orphan
# en: daemon children are ended by atexit, which SIGKILL skips: watch getppid or use
#     PR_SET_PDEATHSIG.
# zh: daemon 靠 atexit 清理，SIGKILL 不会触发；要监视 getppid 或用 PR_SET_PDEATHSIG。
@@
-    while not done.is_set() and os.getppid() == parent:
+    while not done.is_set():
