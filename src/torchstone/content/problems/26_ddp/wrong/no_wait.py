# over: solution.py
# verdict: WA grad
# group: basic
# en: An asynchronous call has finished only when wait() returns; before, the memory holds
#   anything.
# zh: 异步通信要等 wait() 返回才算完成，在此之前内存里是什么都不一定。
@@
-            self.launched.append((flat, work))
+            self.launched.append((flat.clone(), work))
@@
         for bucket, (flat, work) in zip(self.buckets, self.launched, strict=False):
-            work.wait()
@@
                 parameter.grad.copy_(part.view_as(parameter))
+            work.wait()
