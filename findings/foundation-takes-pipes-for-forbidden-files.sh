#!/usr/bin/env bash
# Foundation of Swift 6.3.1 on Linux: String(contentsOfFile:) and Data(contentsOf:) take a pipe for a file without permission.
#
# A named pipe that its owner may read, and what a shell gives for "<(command)", fail with NSFileReadNoPermissionError (257). The open
# succeeds first, so that the writer goes on and finds no reader: what it writes is lost, and it may die of SIGPIPE. Nothing is wrong
# with the permissions: FileHandle reads the same pipe to its end. A program that reads its configuration in this way cannot be
# called with "<(...)", and its users look for a problem of access that does not exist.
#
# Seen:
#   named pipe: String error 257, Data error 257, FileHandle 5 bytes
#   <(command): Data error 257
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo "The finding is about Linux."; exit 1; }
swift --version 2>&1 | head -n 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > main.swift <<'SWIFT'
import Foundation

let (kind, path) = (CommandLine.arguments[1], CommandLine.arguments[2])
func report(_ read: () throws -> Int) {
    do { print("\(kind) \(try read()) bytes") } catch { print("\(kind) error \((error as NSError).code)") }
}
switch kind {
case "String": report { try String(contentsOfFile: path, encoding: .utf8).utf8.count }
case "Data": report { try Data(contentsOf: URL(fileURLWithPath: path)).count }
default: report { try FileHandle(forReadingAtPath: path)?.readToEnd()?.count ?? -1 }
}
SWIFT
swiftc main.swift -o program
mkfifo -m 600 pipe
for kind in String Data FileHandle; do
  { echo line > pipe || :; } 2> /dev/null &
  timeout 20 ./program "$kind" pipe
  wait "$!" || :
done > seen
timeout 20 ./program Data <(echo line) >> seen
cat seen
diff seen - <<'EXPECTED'
String error 257
Data error 257
FileHandle 5 bytes
Data error 257
EXPECTED
echo "As described."
