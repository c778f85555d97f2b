"""How well receipts are read, measured against what is known of them."""
