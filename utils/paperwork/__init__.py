"""Documents that a person signs or sends: their contents, their checks and their files."""
