"""The command ``touchstone``: the way into ``metrics`` and into the web application for whoever has installed them."""
