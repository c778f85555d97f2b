"""The object store behind one URL: a local folder by default, S3 by choice."""
