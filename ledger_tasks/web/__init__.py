"""HTTP: health, the API of the recognition exchange, and the inbox that lives in the same process."""
