"""Studies: test items by a language model, their filters and review, rating sheets, agreement of raters."""
