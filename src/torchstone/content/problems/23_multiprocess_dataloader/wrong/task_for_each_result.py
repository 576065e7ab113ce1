# over: good/queues.py
# verdict: WA property
# group: pressure
# en: A task for each result that arrives lets batches pile up behind a slow one; count what
#     is given out.
# zh: 每到一个结果就派新任务，批次会堆在慢的那一批后面；应按已交出的批数来派。
@@
                 self.ready[number] = batch, error
+                self.put()
@@
         self.given += 1
-        self.put()
