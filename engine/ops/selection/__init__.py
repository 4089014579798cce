"""Operators that read and write at chosen places: indices, masks, gathering and scattering."""
