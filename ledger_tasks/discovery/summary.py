"""PURE. What one scan found and did, as the numbers of its one line of JSON."""

from dataclasses import asdict, dataclass


@dataclass(slots=True)
class Summary:
    """Every discovered file is in exactly one number; `cache_missing` is a part of `published`.

    `unsupported` is the part of `skipped` that is no receipt by its name; it is no public number of the scan.
    """

    published: int = 0
    skipped: int = 0
    already_queued: int = 0
    exhausted: int = 0
    growing: int = 0
    invalid: int = 0
    cache_missing: int = 0
    unsupported: int = 0

    @property
    def discovered(self) -> int:
        """Return how many files the scan accounts for."""
        return self.published + self.skipped + self.already_queued + self.exhausted + self.growing + self.invalid

    def document(self) -> dict[str, int]:
        """Return the numbers by their public names."""
        numbers = asdict(self)
        del numbers["unsupported"]
        return {"discovered": self.discovered, **numbers}
