"""Benchmarks that anyone can run again; each suite is a module that yields rows as it measures them."""
