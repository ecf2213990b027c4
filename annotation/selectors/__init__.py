"""Every read that is more than one line."""
