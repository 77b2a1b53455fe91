"""What the page knows between two requests."""
