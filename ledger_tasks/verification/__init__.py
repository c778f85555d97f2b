"""Files, hashes, caches, artifacts, markers and rows are laid beside each other; each difference is a finding."""
