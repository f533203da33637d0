"""Answers: from a question and its provisions to a text that cites them, and the judges of answers."""
