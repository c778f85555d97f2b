"""The broker side: one topology, one way to publish, one way to consume, one function that settles an outcome."""
