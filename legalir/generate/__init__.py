"""Generation: from a question and its provisions to an answer that cites them."""
