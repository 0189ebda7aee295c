#!/bin/sh
# Builds the book: a site made from docs/.
#
#   docs/book/build.sh [FOLDER]      the default for FOLDER is "site"
#
# It needs Go and Python 3. The first run needs the network, to install a fixed version of mkdocs. MKDOCS names an
# installed mkdocs to use instead. Readers of the site need no network.
set -eu
site=$(mkdir -p "${1:-site}" && cd "${1:-site}" && pwd)
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${MKDOCS:-}" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" -q install --require-hashes -r docs/book/requirements.txt
  MKDOCS=$work/venv/bin/mkdocs
fi

# These pages are generated, and are not in the repository.
mkdir "$work/docs" "$work/spoils"
cp -R docs/. "$work/docs"
go run ./cmd/cuconform rules -coverage "$work/docs/coverage.md"
CULINK_SPOILS=$work/spoils go test -count=1 ./conformance/... -run '^Test(Spoiled|VerdictsOnSpoiled|WrongEverywhere)' > "$work/log" || { cat "$work/log"; exit 1; }
cat "$work"/spoils/*.md > "$work/docs/spoils.md"

BOOK_SOURCE=$work/docs BOOK_SITE=$site NO_MKDOCS_2_WARNING=1 "$MKDOCS" build -q -f docs/book/mkdocs.yml
echo "$site/index.html"
