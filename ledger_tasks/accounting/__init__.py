"""Bookings for a bookkeeping program: what is booked comes in, CSV, JSON Lines, XLSX, Beancount or hledger goes out."""
