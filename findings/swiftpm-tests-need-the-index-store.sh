#!/usr/bin/env bash
# SwiftPM 6.3.1 on Linux: "swift build --build-tests --disable-index-store" fails, in debug and release builds, also where the
# package has Swift Testing alone and XCTest is switched off.
#
# The index store serves editors, and costs a quarter of the time of a debug build, so that builds on servers switch it off. But
# SwiftPM finds the tests of a package by reading that store: it writes a file all-discovered-tests.swift from it before it links
# the tests. The option is accepted, the package compiles, and the build ends with "index store path does not exist". The same
# command without --build-tests succeeds. So a build of tests has to pay for the index.
#
# Seen:
#   error: index store path does not exist: <package>/.build/x86_64-unknown-linux-gnu/debug/index/store
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo "The finding is about Linux."; exit 1; }
swift --version 2>&1 | head -n 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p Sources/Adder Tests/AdderTests
cat > Package.swift <<'SWIFT'
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "adder",
    targets: [.target(name: "Adder"), .testTarget(name: "AdderTests", dependencies: ["Adder"])]
)
SWIFT
echo 'public func sum(_ one: Int, _ other: Int) -> Int { one + other }' > Sources/Adder/Adder.swift
cat > Tests/AdderTests/AdderTests.swift <<'SWIFT'
import Adder
import Testing

@Test func sums() { #expect(sum(1, 2) == 3) }
SWIFT

swift build --disable-index-store > output 2>&1 || { cat output; echo "The build without tests failed."; exit 1; }
echo "without tests: built"
for configuration in debug release; do
  if swift build --build-tests --disable-index-store --disable-xctest --configuration "$configuration" \
    -Xswiftc -enable-testing > output 2>&1; then
    echo "changed: a $configuration build of tests needs no index store any more"
    exit 1
  fi
  grep "index store path does not exist" output || { cat output; echo "changed: another error"; exit 1; }
done
swift build --build-tests > output 2>&1 || { cat output; echo "The build with the index store failed."; exit 1; }
echo "with tests and the index store: built"
