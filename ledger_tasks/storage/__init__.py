"""The only importer of `db`: named functions take a connection and plain values, and return frozen rows."""
