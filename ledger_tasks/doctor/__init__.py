"""`ledger doctor`: each room examines one outside thing and returns findings; nothing is repaired but by `--init`."""
