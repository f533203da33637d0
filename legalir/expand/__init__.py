"""Expansion: what retrieved provisions cite joins the list."""
