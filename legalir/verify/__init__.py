"""Citations in any text, each checked against a collection: whether it is right, and if not, what is wrong."""

from __future__ import annotations

from legalir.verify.verification import Checked, State, Verification, Verifier

__all__ = ["Checked", "State", "Verification", "Verifier"]
