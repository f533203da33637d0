"""Statutes cut by size instead of by provision, and what that loses."""
