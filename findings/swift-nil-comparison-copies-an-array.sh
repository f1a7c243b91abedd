#!/usr/bin/env bash
# Swift 6.3.1: an optimized build copies a whole array for each element that is appended, where an unoptimized one copies none,
# because an optional that holds the array was compared with nil before.
#
# A class has a value with an optional struct, and the struct has an array of structs with room for more. A function reads once
# whether the optional is nil, by a computed property that another type declares, and then walks over some work; one step appends
# an element through the optional. With -O the comparison retains the array, and releases it only behind the loop. The append finds
# that the array is not the only owner of its storage, and moves all elements. With 16,384 kept elements that was 25 times the
# cost of everything else. An "if case .some" instead of "!= nil" changes nothing. With a stored Bool beside the optional the
# array stays in its place. Tests of an unoptimized build, and of one that is optimized file by file with the types in different
# files, show nothing.
#
# Seen (the program tells how often the storage of the array has another address after 1,000 calls):
#   -Onone, compared with nil: moved 0 times
#   -O, compared with nil: moved 1000 times
#   -O, a stored Bool: moved 0 times
set -euo pipefail
swift --version 2>&1 | head -n 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > compared.swift <<'SWIFT'
struct Line {
    var number: Int
    var text: String?
}

struct Log {
    private var lines: [Line] = []

    init() { lines.reserveCapacity(10_000) }

    var place: Int { lines.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }

    @inline(never)
    mutating func append(_ number: Int, _ text: String?) { lines.append(Line(number: number, text: text)) }
}

struct Journal {
    private var log: Log? = Log()
    var isOpen: Bool { log != nil }

    @inline(never)
    mutating func note(_ number: Int, _ text: String?) { log?.append(number, text) }

    var place: Int { log?.place ?? 0 }
}

final class Office {
    var journal = Journal()
    var sum = 0

    @inline(never)
    func work(on letters: [(kind: Int, number: Int, text: String?)]) {
        let isNoted = journal.isOpen
        for letter in letters {
            switch letter.kind {
            case 0: sum += letter.number
            case 1: if isNoted { journal.note(letter.number, letter.text) }
            default: sum &*= 3
            }
        }
    }
}

let office = Office()
var moves = 0
var place = office.journal.place
for number in 1...1000 {
    office.work(on: [(0, number, nil), (1, number, "letter"), (2, number, nil)])
    if office.journal.place != place { moves += 1 }
    place = office.journal.place
}
print("moved \(moves) times")
SWIFT
sed 's/var isOpen: Bool { log != nil }/let isOpen = true/' compared.swift > stored.swift
! cmp -s compared.swift stored.swift

# Runs a program, built with an option, and compares what it prints with what was seen.
expect() {
  local source=$1 option=$2 seen=$3 name=$4
  mkdir -p build
  cp "$source" build/main.swift
  swiftc "$option" -o build/program build/main.swift
  local output
  output=$(build/program)
  printf '%s, %s: %s\n' "$option" "$name" "$output"
  [ "$output" = "$seen" ] || { echo "changed: \"$seen\" was seen"; exit 1; }
}
expect compared.swift -Onone "moved 0 times" "compared with nil"
expect compared.swift -O "moved 1000 times" "compared with nil"
expect stored.swift -O "moved 0 times" "a stored Bool"
