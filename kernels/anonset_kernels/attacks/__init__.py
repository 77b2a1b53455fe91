"""What an attacker who knows items finds."""
