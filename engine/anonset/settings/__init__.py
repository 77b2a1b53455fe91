"""What a user may say: the parameters of models and algorithms, read into settings."""
