#!/usr/bin/env bash
# Snakemake 9.27.1 resumes jobs of a cluster that still wait there, and runs those that execute a second time beside the first.
#
# An executor that runs jobs elsewhere registers each job's external jobid, in .snakemake/incomplete or the database beside it. If Snakemake
# dies, the next run finds the jobid there, and cluster-generic with a status command follows the job ("Resuming incomplete job ...").
# But the job is a Snakemake of its own, which registers the same outputs as its executor of local jobs does, without a jobid: from
# its start on, the record says null. The next run submits the job again, and two processes write one file. No option is wrong, and
# nothing is printed. (https://github.com/snakemake/snakemake/issues/762 is open since 2020, and took it for a matter of Slurm.)
#
# Seen, with one job that waits in a queue and one that executes when Snakemake is killed, --unlock, and a second run:
#   resumed: 1 job(s)
#   waiting: run 1 time(s)
#   executing: run 2 time(s)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check snakemake==9.27.1 snakemake-executor-plugin-cluster-generic==1.0.9 \
  snakemake-interface-executor-plugins==9.4.0
cd "$folder"
cat >Snakefile <<'SNAKEMAKE'
rule all:
    input: "waiting", "executing"
rule work:
    output: "{name}"
    wildcard_constraints: name="waiting|executing"
    shell: "echo {wildcards.name} >>ran; while [ -e gate ]; do sleep 0.1; done; touch {output}"
SNAKEMAKE
# A cluster in small: a job whose script names the output "waiting" stays in the queue as long as there is a file "gate".
cat >submit <<'SH'
#!/bin/sh
setsid sh -c "if grep -q name=waiting '$1'; then while [ -e gate ]; do sleep 0.1; done; fi; exec sh '$1'" >>jobs.log 2>&1 &
echo $!
SH
cat >status <<'SH'
#!/bin/sh
if kill -0 "$1" 2>/dev/null; then echo running; else echo success; fi
SH
chmod +x submit status
touch gate ran
run() {
  exec venv/bin/snakemake --executor cluster-generic --jobs 2 --cluster-generic-submit-cmd ./submit --cluster-generic-status-cmd ./status \
    --seconds-between-status-checks 1
}
until_lines() {
  until [ "$(grep -c "$1" "$2")" -ge "$3" ]; do
    kill -0 "$4" 2>/dev/null || { cat "$2"; exit 1; }
    sleep 0.1
  done
}
run >first.log 2>&1 &
first=$!
until_lines '^executing' ran 1 $first
until_lines '^Submitted job' first.log 2 $first
kill -KILL $first
wait $first 2>/dev/null || true
venv/bin/snakemake --unlock >/dev/null 2>&1
run >second.log 2>&1 &
second=$!
until_lines '^Resuming incomplete job\|^Submitted job' second.log 2 $second
rm gate
wait $second
{
  printf 'resumed: %s job(s)\n' "$(grep -c '^Resuming incomplete job' second.log)"
  for name in waiting executing; do printf '%s: run %s time(s)\n' "$name" "$(grep -c "^$name" ran)"; done
} | tee seen
diff - seen <<'SEEN' || { echo 'The behaviour has changed.'; exit 1; }
resumed: 1 job(s)
waiting: run 1 time(s)
executing: run 2 time(s)
SEEN
