"""Steps of the search for a hierarchy cut."""
