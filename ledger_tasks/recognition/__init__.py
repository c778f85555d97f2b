"""The recognition job exchange over core NATS: outbox, inbox, deadlines, retries and the mapping of results."""
