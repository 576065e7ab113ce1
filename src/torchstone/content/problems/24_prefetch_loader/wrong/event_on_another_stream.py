# over: good/kept_until_computed.py
# verdict: WA property
# group: switch
# en: When the next batch is asked for, the consumer may compute on another stream already; its
#     event says nothing about the last batch.
# zh: 取下一批时消费者可能已经换了流；在新流上记录的事件说明不了上一批是否算完。
@@
-            held.append((batch, compute.record_event()))
+            held.append((batch, device.current_stream().record_event()))
