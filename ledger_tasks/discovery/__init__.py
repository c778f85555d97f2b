"""Stage 1: a folder of receipts becomes work messages. Database yes, OCR no."""
