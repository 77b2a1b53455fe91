"""Results of finished steps, from which an interrupted run continues."""
