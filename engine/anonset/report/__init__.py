"""Reports about runs, as text and HTML for people and as JSON data for programs."""
