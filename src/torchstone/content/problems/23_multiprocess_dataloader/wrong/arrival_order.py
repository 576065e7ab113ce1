# over: good/queues.py
# verdict: WA property
# group: order
# en: Queues give completion order; keep a reorder buffer keyed by batch number.
# zh: 队列给出的是完成顺序；要用批号作键的重排缓冲。
@@
-        while self.given not in self.ready:
+        while not self.ready:
@@
-        batch, error = self.ready.pop(self.given)
+        _, (batch, error) = self.ready.popitem()
