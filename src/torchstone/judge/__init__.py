"""The judge: two sandboxes, a supervisor between them, one host per data folder."""
