"""What readers of formats share: markup and plain lines as units of a law, and the habits of a country."""
