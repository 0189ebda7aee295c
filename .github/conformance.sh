#!/bin/sh
# Runs cuconform on a linker for the GitHub action (action.yml). It builds cuconform from the folder of the action,
# writes the reports to $REPORTS, and adds the end of the output to the summary of the job.
#   LINKER     the command of the linker
#   ARGUMENTS  more arguments of cuconform run, separated by blanks
#   REPORTS    the folder for report.html, report.json and report.xml
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$REPORTS"
(cd "$here" && CGO_ENABLED=0 go build -o "$REPORTS/cuconform" ./cmd/cuconform)
status=0
set -f # a pattern of -run is cuconform's
# shellcheck disable=SC2086 # ARGUMENTS must be split into words
"$REPORTS/cuconform" run -linker "$LINKER" ${ARGUMENTS-} \
  -html "$REPORTS/report.html" -json "$REPORTS/report.json" -junit "$REPORTS/report.xml" > "$REPORTS/report.txt" || status=$?
cat "$REPORTS/report.txt"
rm "$REPORTS/cuconform"
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
  { echo '```'; grep -v '^FAIL [^:]*/' "$REPORTS/report.txt" | tail -n 60; echo '```'; } >> "$GITHUB_STEP_SUMMARY"
fi
exit "$status"
