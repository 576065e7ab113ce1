"""Observer of programs under the x-ray's extractors: its sandbox and its process."""
