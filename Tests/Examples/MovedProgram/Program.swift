import Baton
import Foundation

// MovedProgram worker                     runs the operations of this program, on any host of the cluster
// MovedProgram FILE...                    counts the words of files
//
// The folder OperationQueueProgram has the same program with Foundation's OperationQueue.

/// Counts the words of a file.
struct CountWords: ClusterOperation {
    struct Unreadable: Error, CustomStringConvertible {
        let description = "The file cannot be read."
    }

    static let typeName = "countWords"
    let path: String

    func run(in context: OperationContext) async throws -> Int {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw Unreadable() }
        return text.split(whereSeparator: \.isWhitespace).count
    }
}

/// Adds up what other operations have counted.
struct AddUp: ClusterOperation {
    static let typeName = "addUp"

    func run(in context: OperationContext) async throws -> Int {
        let counts = try context.results(of: CountWords.self)
        return counts.compactMap { $0 }.reduce(0, +)
    }
}

@main
struct Program {
    static func main() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            if arguments.first == "worker" {
                try await ClusterWorker(operations: [CountWords.self, AddUp.self]).run()
            } else {
                try await countWords(of: Array(arguments))
            }
        } catch {
            // An error is a sentence that says what to do, such as to start a coordinator.
            warn("\(error)")
            exit(1)
        }
    }

    static func countWords(of paths: [String]) async throws {
        let queue = try Cluster().queue("words")
        queue.maxConcurrentOperationCount = 4

        let sum = RemoteOperation(AddUp())
        sum.queuePriority = .high
        let counts = paths.map { RemoteOperation(CountWords(path: $0)) }
        for count in counts {
            sum.addDependency(count)
            try await queue.addOperation(count)
        }
        try await queue.addOperation(sum)

        let total = try await sum.value
        for count in counts {
            try await count.waitUntilFinished()
            if let error = count.error { warn("\(count.work.path) is not counted. \(error)") }
        }
        print("\(total) words in \(paths.count) files")
    }

    static func warn(_ sentence: String) {
        FileHandle.standardError.write(Data("\(sentence)\n".utf8))
    }
}
