#!/usr/bin/env bash
# podman-compose 1.0.3 (that of Debian 12) appends the command of an override file to the command that it overrides.
#
# The Compose specification says of merging that lists are appended, with exceptions: command, entrypoint and the test of a healthcheck
# are replaced by what the later file has. podman-compose 1.0.3 appends the command like any other list, so that the program gets the
# arguments of both files, one after the other, and most programs refuse them at their start. Version 1.0.6 replaces it.
#
# Seen, of a service with the command [serve, --port, 1] and an override [serve, --port, 2]:
#   1.0.3: serve --port 1 serve --port 2
#   1.0.6: serve --port 2
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/merge.py" <<'PYTHON'
import podman_compose

def service(port):
    return {"services": {"web": {"image": "web", "command": ["serve", "--port", port]}}}

print(*podman_compose.rec_merge({}, service("1"), service("2"))["services"]["web"]["command"])
PYTHON
for version in 1.0.3 1.0.6; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install --quiet --disable-pip-version-check "podman-compose==$version" pyyaml==6.0.2 python-dotenv==1.0.1
  seen=$("$folder/$version/bin/python" "$folder/merge.py")
  printf '%s: %s\n' "$version" "$seen"
  case $version in
    1.0.3) expected='serve --port 1 serve --port 2' ;;
    1.0.6) expected='serve --port 2' ;;
  esac
  [ "$seen" = "$expected" ] || { echo "The behaviour has changed."; exit 1; }
done
