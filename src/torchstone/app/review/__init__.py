"""What is proven, what is due, and what comes next."""
