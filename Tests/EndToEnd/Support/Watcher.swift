import Foundation
import Synchronization
import Testing

/// A `baton watch --json` beside a test, and its events.
struct Watcher {
    let process: ChildProcess

    /// The events of all complete lines.
    var events: [JSONValue] {
        get throws { try Self.lines(of: process.output).map { try JSONValue(parsing: $0) } }
    }

    /// Waits for an event, and returns all lines up to the first match.
    ///
    /// - Parameter words: words in the line of the event, checked before a line is parsed.
    func lines(
        to words: String...,
        where isLast: @escaping @Sendable (JSONValue) -> Bool = { _ in true }
    ) async throws -> [String] {
        let search = Search { line in
            words.allSatisfy(line.contains) && (try? JSONValue(parsing: line)).map(isLast) == true
        }
        try await process.output { search.isFound(in: $0) }
        return Array(Self.lines(of: process.output).prefix(search.count))
    }

    /// Waits for the end of an operation, and returns the lines of all events up to the end.
    func lines(toEndOf operation: String) async throws -> [String] {
        try await lines(to: "\"\(operation)\"", "\"finished\"") {
            $0.operation.string == operation && $0.state == "finished"
        }
    }

    /// A search for a line in a growing text, with one look at each line.
    private final class Search: Sendable {
        private struct State {
            var position = 0
            var count = 0
            var isFound = false
        }

        private let isMeant: @Sendable (String) -> Bool
        private let state = Mutex(State())

        init(_ isMeant: @escaping @Sendable (String) -> Bool) {
            self.isMeant = isMeant
        }

        /// The number of searched lines, up to the line that was found.
        var count: Int { state.withLock { $0.count } }

        func isFound(in bytes: [UInt8]) -> Bool {
            state.withLock { state in
                while !state.isFound, let end = bytes[state.position...].firstIndex(of: UInt8(ascii: "\n")) {
                    state.isFound = isMeant(String(decoding: bytes[state.position..<end], as: UTF8.self))
                    state.position = end + 1
                    state.count += 1
                }
                return state.isFound
            }
        }
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

extension TestCluster {
    /// The events up to the end of an operation that is submitted last, and unrelated to the test.
    func eventsSoFar(of watcher: Watcher) async throws -> [JSONValue] {
        try await linesSoFar(of: watcher).map { try JSONValue(parsing: $0) }
    }

    /// The lines of all events up to the end of an operation that is submitted last.
    func linesSoFar(of watcher: Watcher) async throws -> [String] {
        let last = try await submit("--queue", "last", "--", "true")
        return try await watcher.lines(toEndOf: "\(last)/0")
    }
}

extension [JSONValue] {
    /// The events about an operation.
    func about(_ operation: String) -> [JSONValue] { filter { $0.operation.string == operation } }

    /// The states of an operation, in the order of its events.
    ///
    /// The event of a job implies the state pending of its operations; an event for an initial state pending is left
    /// out.
    func states(of operation: String) -> [String] {
        let states: [String] = about(operation).map { $0.state.string }.filter { !$0.isEmpty }
        return [String](states.drop { $0 == "pending" })
    }

    /// Expects that the events are numbered without a gap and without a repetition.
    func expectConsecutive(from first: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) {
        let numbers = map(\.seq.int)
        #expect(numbers == Array<Int>(first..<first + count), sourceLocation: sourceLocation)
    }
}
