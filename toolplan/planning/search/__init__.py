"""Searches that run in this process."""
