"""Snippets that the playground offers, by topic."""
