# over: solution.py
# verdict: WA property
# group: concurrency
# en: join inside the loop runs the replicas one after another.
# zh: 在循环里 join，副本就变成依次执行。
@@
         thread.start()
-    for thread in threads:
