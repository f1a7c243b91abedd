import Foundation
import Testing

/// A way in which a holder's files are lost.
enum FileLoss: String, CaseIterable, CustomTestStringConvertible {
    /// The holder is killed, and comes back with an empty disk.
    case disk = "killed, with its disk"
    /// The holder leaves in order.
    case leaving = "left"

    var testDescription: String { rawValue }
}

/// A chain of operations whose files tests lose.
extension TestCluster {
    /// Submits a chain of three operations, each of which notes itself with its attempt.
    ///
    /// The first makes a file, the second adds a line to a copy of it, and the last, which is held, prints a digest of that. The first
    /// two run on the hosts w1 and w3, the last one on w2.
    ///
    /// - Parameter options: more options of the first two, as text of a graph file.
    func submitChain(options: String = "", sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        func note(_ name: String) -> String { "echo \(name)-$BATON_ATTEMPT >> '\(home.path)/notes'" }
        let make = "\(note("a")); \(FileScript.make("a.txt", bytes: 700_001, seed: 5))"
        let add = "\(note("b")); cat $BATON_INPUTS/a/a.txt > b.txt; echo b >> b.txt"
        let producers = "labels: [\"host in (w1,w3)\"]\(options)"
        return try await submit(
            graph: """
                { defaults: { workspace: "fresh" }, operations: [
                  { name: "a", command: "\(make)", outputs: ["a.txt"], \(producers) },
                  { name: "b", command: "\(add)", outputs: ["b.txt"], needs: ["a"], \(producers) },
                  { name: "c", command: "\(note("c")); sha256sum < $BATON_INPUTS/b/b.txt", needs: ["b"],
                    labels: ["host=w2"], hold: true },
                ] }
                """,
            sourceLocation: sourceLocation
        )
    }

    /// What the last operation of the chain prints, whichever attempts have made the files.
    static let chainOutput = "600605c65fba0159bb66067490d1b1b51364ce6e74c6daffc4500a48771ae05f  -\n"

    /// Has the files of a worker lost.
    func lose(_ name: String, by loss: FileLoss) async throws {
        switch loss {
        case .disk: try await loseDisk(of: name)
        case .leaving: try await leave(name)
        }
    }
}
