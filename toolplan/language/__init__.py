"""The language: text to a resolved domain, with a diagnostic for everything that is wrong."""
