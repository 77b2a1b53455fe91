"""What an attacker learns from a publication."""
