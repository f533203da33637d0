"""Evaluation of answers: citations, choices, overlap with a reference, verdicts of judges, agreement, confidence."""
