"""Sources of provisions and links, one file a format."""
