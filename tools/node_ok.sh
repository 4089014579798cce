#!/bin/sh
# Succeeds when PATH has a node that Vite 8 accepts (20.19 or newer within 20, else 22.12 or newer) and an npm.
command -v npm >/dev/null 2>&1 || exit 1
node -e '
const [major, minor] = process.versions.node.split(".").map(Number);
process.exit((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22 ? 0 : 1);
' 2>/dev/null
