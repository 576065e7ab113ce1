# outcome: OLE | TLE
# tries: flood standard error with warnings
import warnings

warnings.simplefilter("always")
for number in range(200_000):
    warnings.warn(f"number {number} " + "x" * 200, stacklevel=2)
