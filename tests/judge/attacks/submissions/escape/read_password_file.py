# outcome: RTE
# tries: read what every user of the host may read
for path in ("/etc/passwd", "/etc/hostname", "/etc/os-release", "/etc/ld.so.cache"):
    try:
        open(path).read()
    except OSError:
        continue
    break
else:
    raise PermissionError("every file is closed")
