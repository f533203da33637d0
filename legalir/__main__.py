"""``python -m legalir``: the command line."""

from legalir.cli.main import main

if __name__ == "__main__":
    main()
