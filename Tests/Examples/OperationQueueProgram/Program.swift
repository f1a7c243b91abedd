import Foundation

// OperationQueueProgram FILE...           counts the words of files
//
// The folder MovedProgram has the same program, moved to Baton.

/// Counts the words of a file.
final class CountWords: Operation, @unchecked Sendable {
    let path: String
    private(set) var words: Int?

    init(path: String) {
        self.path = path
    }

    override func main() {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        words = text.split(whereSeparator: \.isWhitespace).count
    }
}

/// Adds up what other operations have counted.
final class AddUp: Operation, @unchecked Sendable {
    private(set) var total = 0

    override func main() {
        let counts = dependencies.map { ($0 as? CountWords)?.words }
        total = counts.compactMap { $0 }.reduce(0, +)
    }
}

@main
struct Program {
    static func main() {
        let paths = CommandLine.arguments.dropFirst()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4

        let sum = AddUp()
        sum.queuePriority = .high
        let counts = paths.map { CountWords(path: $0) }
        for count in counts {
            sum.addDependency(count)
            queue.addOperation(count)
        }
        queue.addOperation(sum)

        sum.waitUntilFinished()
        for count in counts where count.words == nil { warn("\(count.path) is not counted.") }
        print("\(sum.total) words in \(paths.count) files")
    }

    static func warn(_ sentence: String) {
        FileHandle.standardError.write(Data("\(sentence)\n".utf8))
    }
}
