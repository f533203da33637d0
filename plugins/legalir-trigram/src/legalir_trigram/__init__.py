"""A retriever for legalir that compares sets of character trigrams."""

from legalir_trigram.retriever import Trigram, dice, trigram

__all__ = ["Trigram", "dice", "trigram"]
