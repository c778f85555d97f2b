"""Private RabbitMQ, PostgreSQL, NATS and S3 on free loopback ports, for `ledger dev`, the demo and the tests alike."""
