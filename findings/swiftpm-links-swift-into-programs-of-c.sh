#!/usr/bin/env bash
# Swift 6.3.1: SwiftPM links libswiftCore into an executable that has C sources alone: dynamically, so that each start loads it with
# libstdc++, libm and libgcc_s, and also with "-static-executable", which puts the whole runtime into the program. "-nostartfiles"
# beside it leaves the runtime out, and the program works.
#
# A package has one executable target with one C file, and no Swift. The program of "swift build -c release" needs libswiftCore.so
# beside libc; the loader maps and relocates these libraries at each start. Linked statically it has the functions of the runtime,
# since the start file of Swift needs them; with "-nostartfiles" the C start files are still there. For a program that a build starts for
# each of its lines, the libraries took longer than all else it did. Both flags are unsafe ones, which a package that others depend on
# may have in targets that they do not use.
#
# Seen (the libraries that the program names, and whether it has the function swift_retain):
#   default: libc.so.6 libswiftCore.so
#   -static-executable: static, with swift_retain
#   -static-executable -nostartfiles: static, without swift_retain
set -euo pipefail
swift --version 2>&1 | head -n 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p Sources/line/include
cat > Sources/line/main.c <<'C'
#include <stdio.h>
int main(void) {
    puts("a line");
    return 0;
}
C
manifest() {
  cat > Package.swift <<SWIFT
// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "line", targets: [.executableTarget(name: "line"$1)])
SWIFT
}
build() { swift build -c release >build.log 2>&1 || { tail -n 5 build.log; return 1; }; }
program=.build/release/line

manifest ''
build
libraries=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux' | LC_ALL=C sort | paste -sd ' ' -)
printf 'default: %s\n' "$libraries"
[ "$libraries" = 'libc.so.6 libswiftCore.so' ] || { echo 'The libraries have changed.'; exit 1; }
[ "$("$program")" = 'a line' ]

for case in '"-static-executable":with' '"-static-executable", "-nostartfiles":without'; do
  flags=${case%:*}
  manifest ", linkerSettings: [.unsafeFlags([$flags])]"
  build
  nm "$program" >symbols
  found=without
  ! grep -q ' T swift_retain$' symbols || found=with
  kind=dynamic
  [[ $(ldd "$program" 2>&1 || true) != *'not a dynamic executable'* ]] || kind=static
  printf '%s: %s, %s swift_retain\n' "$flags" "$kind" "$found"
  [ "$kind $found" = "static ${case##*:}" ] || { echo 'The program is another one now.'; exit 1; }
  [ "$("$program")" = 'a line' ]
done
