"""The words on the wire: bytes in, frozen values out. No I/O and nothing of ours but this package."""
