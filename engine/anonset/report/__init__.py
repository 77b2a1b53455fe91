"""Reports about runs. People read them as text and HTML, and programs read them as JSON data."""
