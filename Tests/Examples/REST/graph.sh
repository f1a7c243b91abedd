#!/bin/sh
# Submits a graph over HTTP with curl, follows it to its end, and prints what it has left: results, and why operations failed.
#
#   sh graph.sh GRAPH.json [KEY]
#
# The graph is a graph file in JSON. A second run with the same KEY submits nothing: it follows the job of the first one. The exit status
# is 0 if the job has succeeded. The interface is that of the variable BATON_URL, else http://127.0.0.1:7462, and the token the content of
# the file BATON_TOKEN_FILE, else that of the state directory on this host.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64; fi
url=${BATON_URL:-http://127.0.0.1:7462}
url=${url%/}/api/v1
key=${2:-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}
work=$(mktemp -d)
stream=
finish() {
  [ -z "$stream" ] || kill "$stream" 2>/dev/null || :
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Only the owner reads what mktemp makes, and curl reads the token from there: in the arguments everybody on this host could see it.
printf 'header = "Authorization: Bearer %s"\n' "$(cat "${BATON_TOKEN_FILE:-${BATON_HOME:-$HOME/.local/state/baton}/http-token}")" >"$work/curl"

# Asks for a document, again while nobody answers or the coordinator is not able; prints the sentence of a refusal: ask PATH [OPTION...]
ask() {
  path=$1
  shift
  # curl leaves a file alone if the answer is empty.
  : >"$work/answer"
  status=$(curl --config "$work/curl" --silent --show-error --retry 60 --retry-delay 1 --retry-all-errors --max-time 60 \
    --output "$work/answer" --write-out '%{http_code}' "$@" "$url$path")
  case $status in
    2??) cat "$work/answer" ;;
    *)
      sed 's/.*"message":"\(\([^"\\]\|\\.\)*\)".*/\1/; s/\\"/"/g' "$work/answer" >&2
      echo >&2
      return 1
      ;;
  esac
}
# The first value of a member that is a number or a word, in the document of standard input: member NAME
member() { sed -n "s/^[^\[]*\"$1\":\"\{0,1\}\([A-Za-z0-9]*\).*/\1/p"; }

# What happens after this number cannot be missed, however soon it happens.
last=$(ask /status | sed -n 's/.*"seq":\([0-9]*\).*/\1/p')
# Where the answer is lost, curl repeats the request, which is safe under the same key.
job=$(ask /jobs --header "Idempotency-Key: $key" --header 'Content-Type: application/json' --data-binary "@$1" | member job)
[ -n "$job" ] || exit 1
echo "job $job"

# The outcome of the job, empty while it is not finished.
outcome() {
  ask "/jobs/$job" >"$work/job" || exit 1
  [ "$(member state <"$work/job")" != finished ] || member outcome <"$work/job"
}
outcome=$(outcome)
mkfifo "$work/events"
while [ -z "$outcome" ]; do
  # TCP notices a host that is gone.
  curl --config "$work/curl" --silent --no-buffer --keepalive-time 15 --fail \
    --header "Last-Event-ID: $last" "$url/events?job=$job" >"$work/events" &
  stream=$!
  while [ -z "$outcome" ] && IFS= read -r line; do
    case $line in
      'id: '*) last=${line#id: } ;;
      'event: missed'*) outcome=$(outcome) ;;
      'data: '*'"event":"job"'*'"state":"finished"'*) outcome=$(printf '%s\n' "$line" | member outcome) ;;
      'data: '*'"event":"operation","operation":"'*)
        printf '%s\n' "$line" | sed 's/.*"operation":"\([^"]*\)","state":"\([a-z]*\)"\(,"outcome":"\([a-z]*\)"\)\{0,1\}.*/\1 \2 \4/; s/finished //; s/ $//'
        ;;
    esac
  done <"$work/events"
  kill "$stream" 2>/dev/null || :
  wait "$stream" 2>/dev/null || :
  stream=
  # The connection was lost, or the coordinator is restarted.
  [ -n "$outcome" ] || sleep 1
done

# The results, page by page. Operations of a list have a name behind their address, dependencies a condition.
from=0
while [ -n "$from" ]; do
  ask "/jobs/$job/operations?outcome=succeeded&from=$from&limit=1000" >"$work/page"
  sed 's/{"operation":"[^"]*","name":/\n&/g' "$work/page" | grep '"hasResult":true' |
    sed 's/^{"operation":"\([^"]*\)","name":\("\([^"]*\)"\)\{0,1\}.*/\1 \3/' >"$work/results" || :
  while read -r operation name; do
    printf '%s: %s\n' "${name:-$operation}" "$(ask "/operations/$operation/result")"
  done <"$work/results"
  from=$(sed -n 's/.*"next":\([0-9]*\)}$/\1/p' "$work/page")
done

# One operation of each kind of failure, with what it wrote.
{ ask "/jobs/$job/failures?limit=100"; echo; } | sed 's/{"group":/\n&/g' |
  sed -n 's/^{"group":[0-9]*,"count":\([0-9]*\),.*"message":"\(\([^"\\]\|\\.\)*\)","operations":\["\([^"]*\)".*/\4 \1 failed: \2/p' >"$work/failures"
while read -r operation words; do
  echo "$words One of them, $operation, wrote:"
  ask "/operations/$operation/log?stream=stderr"
done <"$work/failures"

echo "job $job $outcome"
[ "$outcome" = succeeded ]
