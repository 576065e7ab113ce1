# over: solution.py
# verdict: WA property
# group: hazard
# en: The allocator ties memory to the stream that allocated it; tell it that another stream still
#     reads.
# zh: 分配器只认分配时的流；要用 record_stream 告诉它别的流还在用。
@@
-    map_tensors(lambda tensor: device.record_stream(tensor, compute), batch)
