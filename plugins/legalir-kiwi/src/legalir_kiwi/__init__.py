"""An analyzer for legalir whose terms are Korean morphemes, by kiwipiepy."""

from legalir_kiwi.analyzer import KiwiAnalyzer, kiwi

__all__ = ["KiwiAnalyzer", "kiwi"]
