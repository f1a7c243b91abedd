#!/usr/bin/env bash
# SQLite 3.40.1, the command line: ".backup" of a database that another process writes does not end, as long as that process
# commits more often than the copy takes.
#
# ".backup" is the usual advice for a database in use. But it copies a hundred pages at a time, and lets go of the database between.
# A commit of another process makes it begin anew, also with a write-ahead log, where readers and the writer do not wait for each
# other. Nothing tells of it: the command runs on, with no output and no status, and what stands in the file is no copy. So a backup
# that works on a quiet day hangs on a busy one. "VACUUM INTO" reads everything in one transaction and ends, and so does ".backup"
# inside a transaction that has read something.
#
# A copy has a second trap: put back beside the "-wal" of a killed writer, it is damaged at the next opening, because SQLite reads
# the log into a file that it does not belong to.
#
# Seen with 80 MB and 50 commits a second:
#   no writer: ended
#   beside a writer: .backup had not ended after 15 s
#   beside a writer: VACUUM INTO ended, ok
#   beside a writer: .backup in a transaction ended, ok
#   the copy beside an old log: a line that differs from run to run, such as "Tree 4 page 4: btreeInitPage() returns error code 11"
#   the copy alone: ok
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo "The finding is about Linux."; exit 1; }
sqlite3 --version | cut -d ' ' -f 1,2
folder=$(mktemp -d)
writer=
trap '[ -z "$writer" ] || kill "$writer" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
sqlite3 record.db "PRAGMA journal_mode = WAL; CREATE TABLE blobs (id INTEGER PRIMARY KEY, bytes BLOB);
  CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO blobs SELECT i, randomblob(4000) FROM n" > log
cat > writer.py <<'PYTHON'
import sqlite3, time

database = sqlite3.connect("record.db", isolation_level=None, timeout=60)
number = 0
while True:
    database.execute("INSERT INTO names (name) VALUES (hex(randomblob(60)))")
    number += 1
    if number == 1:
        print("writes", flush=True)
    time.sleep(0.02)
PYTHON

timeout 60 sqlite3 record.db ".backup quiet.db"
echo "no writer: ended"
python3 writer.py > started &
writer=$!
until [ -s started ]; do sleep 0.1; done

status=0
timeout 15 sqlite3 record.db ".backup busy.db" || status=$?
[ "$status" = 124 ] || { echo "changed: .backup beside a writer ended with status $status"; exit 1; }
echo "beside a writer: .backup had not ended after 15 s"
timeout 60 sqlite3 record.db "VACUUM INTO 'copy.db'"
echo "beside a writer: VACUUM INTO ended, $(sqlite3 copy.db 'PRAGMA integrity_check')"
timeout 60 sqlite3 record.db BEGIN "SELECT count(*) FROM sqlite_schema" ".backup held.db" > log
echo "beside a writer: .backup in a transaction ended, $(sqlite3 held.db 'PRAGMA integrity_check')"

# The rest of the log is of the life after the copy: a checkpoint, and then changes of other pages.
sqlite3 record.db "PRAGMA wal_checkpoint(RESTART)" > log
sleep 2
kill -9 "$writer"
wait "$writer" 2> /dev/null || true
writer=
mkdir beside alone
cp copy.db beside/record.db
cp record.db-wal beside/record.db-wal
cp copy.db alone/record.db
sqlite3 beside/record.db "PRAGMA integrity_check(1)" > log 2>&1 || true
if [ "$(cat log)" = ok ]; then
  echo "changed: an old log does no harm"
  exit 1
fi
echo "the copy beside an old log: $(grep -v '^\*\*\*' log | head -n 1)"
echo "the copy alone: $(sqlite3 alone/record.db 'PRAGMA integrity_check')"
