"""The routes, thin over ``app``: read what was sent, call one use case, give a shape."""
