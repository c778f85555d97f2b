"""Files on the two shared volumes: receipts, caches, markers, budgets, locks. No database, no broker."""
