"""Bucketization: separating identities from sensitive values, group by group."""
