"""The JSON API: runs, health, and the OpenAPI document that describes them."""
