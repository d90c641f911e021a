"""Panels take values in and let wishes out; they do not know one another."""
