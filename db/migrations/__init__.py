"""Schema changes, oldest first, run by `db.migrate` and by nothing else."""
