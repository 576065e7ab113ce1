"""HTTP routes over ``app``: parse the request, call one use case, return a schema."""
