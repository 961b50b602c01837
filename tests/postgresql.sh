#!/bin/sh
# Sees to it that the tests of campaigns have a PostgreSQL server: uses one that is installed, else installs Debian's.
set -u

found() {
  command -v initdb || ls /usr/lib/postgresql/*/bin/initdb
}

found >/dev/null 2>&1 && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "Installing PostgreSQL for the tests of campaigns."
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; } \
    >/dev/null 2>&1
  found >/dev/null 2>&1 && exit 0
  echo "PostgreSQL could not be installed: its tests will be left out."
else
  echo "There is no PostgreSQL, and installing one takes root and apt-get: its tests will be left out."
fi
exit 0
