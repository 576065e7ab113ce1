"""Observer of programs under the extractors of the x-ray: its sandbox and its process."""
