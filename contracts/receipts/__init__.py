"""Receipts over RabbitMQ: work messages, result events and failure codes."""
