"""Our reference services: they take requests from NATS, read files, and answer as any service of the exchange would."""
