"""Bucketization: separates identities from sensitive values, group by group."""
