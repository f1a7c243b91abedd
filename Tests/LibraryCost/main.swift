import Baton
import Foundation

// library-cost single|group alike|different COUNT
//
// Adds operations to a suspended queue of the coordinator in BATON_COORDINATOR, and prints the processor time of this process in
// seconds, from the start of the program until the coordinator has everything on disk; scripts/library compares it.
let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]), ["single", "group"].contains(arguments[1]),
    ["alike", "different"].contains(arguments[2])
else {
    FileHandle.standardError.write(Data("usage: library-cost single|group alike|different COUNT\n".utf8))
    exit(64)
}
let cluster = try Cluster()
let queue = cluster.queue("library")
let operations = (0..<count).map { number in
    CommandOperation(command: ["true", arguments[2] == "alike" ? "x" : "\(number)"])
}

/// The blocking calls of the library are not available in asynchronous code, which the top level is.
func add() throws {
    if arguments[1] == "group" {
        try queue.addOperations(operations, waitUntilFinished: false)
    } else {
        for operation in operations { try queue.addOperation(operation) }
    }
    try cluster.flush()
}
try add()
print(Double(clock()) / 1_000_000)
