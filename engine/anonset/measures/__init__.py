"""Measures of loss, disclosure risk and utility."""
