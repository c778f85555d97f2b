"""The recognition job exchange over core NATS: request, answer envelopes and result files of two MAJORs."""
