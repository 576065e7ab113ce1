"""The problem bank: schema and loader of ``content/``; it never runs Python of the content."""
