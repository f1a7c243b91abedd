import Baton
import Foundation

// MovedProgram worker                     runs the operations of this program, on any host of the cluster
// MovedProgram FILE...                    counts the words of files
//
// The folder OperationQueueProgram has the same program with Foundation's OperationQueue.

/// Counts the words of a file.
struct CountWords: ClusterOperation {
    static let typeName = "countWords"
    let path: String

    func run(in context: OperationContext) async throws -> Int {
        let text = try String(contentsOfFile: path, encoding: .utf8)
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
    static func main() async throws {
        let paths = CommandLine.arguments.dropFirst()
        if paths.first == "worker" {
            return try await ClusterWorker(operations: [CountWords.self, AddUp.self]).run()
        }
        let queue = try Cluster().queue("words")
        queue.maxConcurrentOperationCount = 4

        let sum = RemoteOperation(AddUp())
        sum.queuePriority = .high
        for path in paths {
            let count = RemoteOperation(CountWords(path: path))
            sum.addDependency(count)
            try await queue.addOperation(count)
        }
        try await queue.addOperation(sum)

        let total = try await sum.value
        print("\(total) words in \(paths.count) files")
    }
}
