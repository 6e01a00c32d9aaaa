"""Domains that ship with toolplan, as data: read the `.toolplan` files with `importlib.resources`."""
