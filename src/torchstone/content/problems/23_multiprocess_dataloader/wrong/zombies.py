# over: solution.py
# verdict: WA property
# group: leak
# en: A process that has ended stays a zombie until its parent waits for it: join.
# zh: 进程结束后，父进程不 join，它就一直是僵尸。
@@
                 process.kill()
-            for process, _ in crew:
-                process.join()
-                process.close()
