# over: solution.py
# verdict: WA property
# en: Returns the records and writes none.
# zh: 只返回记录，并不写入。
@@
-import json
@@
-        stream.write(json.dumps(record, allow_nan=False) + "\n")
