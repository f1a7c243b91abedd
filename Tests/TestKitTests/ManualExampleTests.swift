import Baton
import BatonTestKit
import Foundation
import Testing

// The page TestingOperations of the manual has these lines, and the comment of withTestCluster the last ones.

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

@Test func retriesAfterAMinute() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: file) }

    try await withTestCluster(operations: [CountWords.self]) { test in
        let options = OperationOptions(retries: 1, retryDelay: .seconds(60))
        let count = RemoteOperation(CountWords(path: file.path), options: options)
        try await test.cluster.queue("words").addOperation(count)

        await test.advance(by: .zero)  // all that can happen now has happened
        #expect(count.attempt == 1 && !count.isFinished)

        try "to be or not to be".write(to: file, atomically: true, encoding: .utf8)
        await test.advance(by: .seconds(60))  // the delay of the retry is over
        #expect(try await count.value == 6)
    }
}

@Test func survivesAWorker() async throws {
    try await withTestCluster(slots: 0) { test in
        try await test.addWorker("first", operations: [CountWords.self])
        let options = OperationOptions(delay: .seconds(10))
        let count = RemoteOperation(CountWords(path: "/etc/hosts"), options: options)
        try await test.cluster.queue("words").addOperation(count)

        try await test.loseWorker("first")
        try await test.restartCoordinator()
        try await test.addWorker("second", operations: [CountWords.self])
        await test.advance(by: .seconds(60))
        #expect(count.worker == "second")
    }
}

@Test func countsWords() async throws {
    try await withTestCluster(operations: [CountWords.self]) { test in
        let count = try await test.cluster.queue("words").addOperation(CountWords(path: "/etc/hosts"))
        await test.advance(by: .zero)
        #expect(count.isFinished)
    }
}
