"""Wire types of the routes of administrators."""
