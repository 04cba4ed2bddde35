"""Fails unless the figures of `wmem eval --json` equal those of the reference
scorer, and reach the floors the project holds itself to at 256 tokens."""
