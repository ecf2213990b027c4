"""What error spans are made of: places in a text, named weights of errors, tables beside the scores."""
