"""ledger-tasks: receipts over RabbitMQ and a recognition job exchange over core NATS."""
