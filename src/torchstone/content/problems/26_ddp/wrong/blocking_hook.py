# over: solution.py
# verdict: WA property
# group: overlap
# en: A synchronous call in a hook stops the thread of autograd until the slowest rank comes.
# zh: 在 hook 里同步通信，autograd 的线程就停在那里，等最慢的 rank。
@@
             self.launched.append((flat, work))
+            work.wait()
