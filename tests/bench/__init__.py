"""Ours against a reference in the same run: `make bench`, or `make bench NAME=p1` for one."""
