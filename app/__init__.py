"""The web service: settings, JSON API, pages. It knows no tensor; the engine's sandbox hands it finished traces."""
