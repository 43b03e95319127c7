"""Turns docs/ into the site: one small module per concern."""
