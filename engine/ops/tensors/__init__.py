"""What a tensor answers, shows, converts to and stands on; settings that reach all of them."""
