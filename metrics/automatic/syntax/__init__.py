"""Parses of texts: read beside a text, or made by a parser that is installed and kept on disk."""
