"""Write a publication: staging, verification, and renaming into place."""
