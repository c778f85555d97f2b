"""Everything durable as one tar: rows as JSON Lines, the artifacts that they name, a manifest that proves it whole."""
