#!/bin/sh
# Prints the path of a Chromium for the browser tests; installs one when there is none.
# Order: what the caller names, PATH, Playwright's own copy, Playwright's download, the system's package.
set -eu

playwright() {
    (cd "$(dirname "$0")/../static" && node --input-type=module --eval \
        'import { chromium } from "playwright-core"; console.log(chromium.executablePath())' 2>/dev/null) || true
}

found() {
    for candidate in "${BACKPLAY_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable "$(playwright)"; do
        if [ -n "$candidate" ] && command -v "$candidate"; then return 0; fi
    done
    return 1
}

found && exit 0
echo "No Chromium here: trying Playwright's download …" >&2
(cd "$(dirname "$0")/../static" && npx --no-install playwright-core install chromium) >&2 || true
found && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "… and the system's package." >&2
    { apt-get update && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core; } >&2
    found && exit 0
fi
echo "The browser tests need a Chromium: install one, or name it in BACKPLAY_CHROMIUM." >&2
exit 1
