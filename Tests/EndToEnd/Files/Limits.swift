import Foundation
import Testing

/// How long a test of files waits for anything: long enough for a busy machine, and shorter than the limit of the suites.
private let patience = Duration.seconds(1200)

/// Carries out a body that may wait, and fails with a sentence if it takes too long.
///
/// - Parameter sentence: what has not come about then.
func within<Value: Sendable>(
    _ limit: Duration = patience,
    orFail sentence: String,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: limit)
            throw Failure("\(sentence) That was waited for \(limit).")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw Failure(sentence) }
        return value
    }
}

/// Looks again and again whether something is so, and fails with a sentence if it does not come about in time.
///
/// - Parameter sentence: what has not come about then.
func eventually(orFail sentence: String, _ isSo: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !isSo() {
        guard ContinuousClock.now < deadline else { throw Failure("\(sentence) That was waited for \(patience).") }
        try await Task.sleep(for: .milliseconds(20))
    }
}

extension Gate {
    /// Waits until an operation is at the gate, and keeps it there; fails with a sentence if none comes.
    func arrival(of what: String) async throws {
        try await within(orFail: "Nothing came to the gate of \(what).") { try await self.arrival() }
    }

    /// Waits until an operation is at the gate, and lets it go on; fails with a sentence if none comes.
    func open(for what: String) async throws {
        try await within(orFail: "Nothing came to the gate of \(what).") { try await self.open() }
    }
}

extension ChildProcess {
    /// Waits for the end of the process; fails with a sentence if it goes on for too long.
    func end(of what: String) async throws -> Int32 {
        try await within(orFail: "The end of \(what) did not come.") { try await self.end() }
    }

    /// Waits for a text in the standard error of the process; fails with a sentence if it does not come.
    @discardableResult
    func complaint(of text: String) async throws -> String {
        try await within(orFail: "\"\(text)\" did not appear in the errors.") { try await self.error(containing: text) }
    }
}
