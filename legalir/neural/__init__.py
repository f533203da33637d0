"""What every transformer model needs: finding its files, trusting them, loading them, and batches by length."""
