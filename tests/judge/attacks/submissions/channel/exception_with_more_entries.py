# outcome: RTE
# tries: describe an exception with entries that nest too deep for the reply
# groups: sample
import sys

deep = [1]
for _ in range(55):
    deep = [deep]
sys.modules["child.driver"].answer = lambda *args: {
    "raised": {
        "type": "IndexError",
        "bases": [],
        "message": "",
        "text": "",
        "line": 1,
        "memory": False,
        "more": deep,
    }
}
