"""Reports once they are made: their options, their files, and what the pages show of them. Nothing is computed here."""
