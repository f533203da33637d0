"""Cross-encoders: models that read a question and a provision together and score the pair."""
