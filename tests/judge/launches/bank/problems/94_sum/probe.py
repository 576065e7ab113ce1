"""Read the file that rank 0 has written."""


def probe(submission, op, data, tools):
    """Look at the folder, or make what a typed command finds."""
    if data.get("part") == "prepare":
        with open(data["folder"].rpartition("/")[0] + "/data.pt", "w") as file:
            file.write("5")
        return {}
    with open(data["folder"] + "/sum.txt") as file:
        return {"sum": int(file.read())}
