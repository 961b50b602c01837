#!/bin/sh
# Sees to it that the browser tests have a Chromium: uses one on the PATH, else installs Debian's where it may.
set -u

found() {
  for name in chromium chromium-browser google-chrome; do
    command -v "$name" && return 0
  done
  return 1
}

found >/dev/null && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "Installing Chromium for the browser tests."
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
    >/dev/null 2>&1
  found >/dev/null && exit 0
  echo "Chromium could not be installed: the browser tests will be left out."
else
  echo "There is no Chromium on the PATH, and installing one takes root and apt-get: the browser tests will be left out."
fi
exit 0
