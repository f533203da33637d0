"""The import of files: parsed one by one in several processes, linked, compared with what was there."""
