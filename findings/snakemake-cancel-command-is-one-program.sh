#!/usr/bin/env bash
# Snakemake's executor cluster-generic 1.0.9 takes its submit command as a line of the shell, and its cancel command as one program.
#
# The two options stand side by side in its help: --cluster-generic-submit-cmd "Command for submitting jobs" and --cluster-generic-cancel-cmd
# "Command for cancelling jobs. Expected to take one or more jobids as arguments." An argument in the first is an argument. In the
# second it is a part of the program's name: the list for the start of the process is [the whole text, jobid, ...], without a shell. So
# 'scancel --quiet' or 'qdel -x' is not found, at the moment of Ctrl-C and not before: Snakemake ends with a FileNotFoundError, and
# the jobs go on.
#
# Seen with snakemake 9.27.1, after SIGINT in the middle of a job, with a program "cancel" that writes down its arguments:
#   cancel command './cancel':       cancel was called with the jobid
#   cancel command './cancel --now': FileNotFoundError: [Errno 2] No such file or directory: './cancel --now'
#   the submit command of both was './submit --background', and was called with the argument
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check snakemake==9.27.1 snakemake-executor-plugin-cluster-generic==1.0.9 \
  snakemake-interface-executor-plugins==9.4.0
cat >"$folder/submit" <<'SH'
#!/bin/sh
[ "$1" = --background ] || exit 1
sh "$2" >job.log 2>&1 &
echo $!
SH
printf '#!/bin/sh\necho "$*" >cancelled\n' >"$folder/cancel"
chmod +x "$folder/submit" "$folder/cancel"

# Interrupts Snakemake in the middle of a job, with a cancel command, in a directory of its own.
interrupt() {
  mkdir "$folder/$1"
  cd "$folder/$1"
  cp ../submit ../cancel .
  printf 'rule work:\n    output: "done"\n    shell: "touch started; while [ -e gate ]; do sleep 0.1; done; touch {output}"\n' >Snakefile
  touch gate
  env --default-signal=INT ../venv/bin/snakemake --executor cluster-generic --jobs 1 --cluster-generic-submit-cmd './submit --background' \
    --cluster-generic-cancel-cmd "$2" >log 2>&1 &
  until [ -e started ]; do
    kill -0 $! 2>/dev/null || { cat log; exit 1; }
    sleep 0.1
  done
  kill -INT $!
  wait $! || true
  rm gate
}

interrupt program './cancel'
echo "cancel command './cancel': called with '$(cat cancelled)'"
grep -q "^Submitted job 0 with external jobid '$(cat cancelled)'" log || { echo 'changed: not called with the jobid'; exit 1; }
interrupt line './cancel --now'
echo "cancel command './cancel --now': $(grep FileNotFoundError log || echo "called with '$(cat cancelled)'")"
grep -qF "FileNotFoundError: [Errno 2] No such file or directory: './cancel --now'" log ||
  { echo 'changed: the arguments are understood'; exit 1; }
