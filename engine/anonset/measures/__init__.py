"""Part of anonset."""
