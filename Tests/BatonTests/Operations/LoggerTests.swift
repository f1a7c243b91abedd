@_spi(Baton) import BatonLogging
import Foundation
import Synchronization
import Testing

@_spi(Baton) @testable import Baton

@Suite("The logger of a Swift operation")
struct LoggerTests {
    /// The lines that a logger has written.
    private final class Lines: Sendable {
        struct Line: Equatable {
            var level: OperationLogger.Level
            var message: String
            var metadata: [String: String] = [:]
        }

        private let lines = Mutex<[Line]>([])
        var all: [Line] { lines.withLock { $0 } }

        func add(_ level: OperationLogger.Level, _ message: String, _ metadata: [String: String]) {
            lines.withLock { $0.append(Line(level: level, message: message, metadata: metadata)) }
        }
    }

    @Test("A line below the threshold is not written, and its arguments are not evaluated")
    func threshold() {
        let lines = Lines()
        var logger = OperationLogger(logLevel: .notice, write: lines.add)
        func unwanted() -> String {
            Issue.record("the text was made")
            return ""
        }
        logger.info(unwanted(), metadata: ["a": unwanted()])
        logger.notice("one")
        logger.logLevel = .trace
        logger.trace("two")
        #expect(lines.all == [.init(level: .notice, message: "one"), .init(level: .trace, message: "two")])
    }

    @Test("Each function writes its level, and the levels are in order")
    func levels() {
        let lines = Lines()
        let logger = OperationLogger(logLevel: .trace, write: lines.add)
        logger.trace("")
        logger.debug("")
        logger.info("")
        logger.notice("")
        logger.warning("")
        logger.error("")
        logger.critical("")
        #expect(lines.all.map(\.level) == OperationLogger.Level.allCases)
        #expect(OperationLogger.Level.allCases.sorted() == OperationLogger.Level.allCases)
        // These are swift-log's, which a bridge converts by name.
        #expect(
            OperationLogger.Level.allCases.map(\.rawValue) == [
                "trace", "debug", "info", "notice", "warning", "error", "critical",
            ]
        )
    }

    @Test("A line has the metadata of its logger, and its own first; a copy's metadata is its own")
    func metadata() {
        let lines = Lines()
        let logger = OperationLogger(metadata: ["a": "1", "b": "2"], write: lines.add)
        var copy = logger
        copy[metadataKey: "a"] = nil
        copy[metadataKey: "c"] = "3"
        #expect(copy[metadataKey: "c"] == "3")
        copy.info("copy", metadata: ["b": "4"])
        logger.info("first")
        #expect(
            lines.all == [
                .init(level: .info, message: "copy", metadata: ["b": "4", "c": "3"]),
                .init(level: .info, message: "first", metadata: ["a": "1", "b": "2"]),
            ]
        )
    }

    @Test("The lines of an attempt name the operation, the attempt and the worker")
    func attempt() {
        let lines = Lines()
        var logger = OperationLogger(write: lines.add)
        logger[metadataKey: "zone"] = "a"
        let call = OperationCall(.sample(), logger: logger) { Cluster.closed(for: $0) }
        OperationContext(call).logger.info("half")
        let metadata = ["operation": "12/3", "attempt": "2", "worker": "w1", "zone": "a"]
        #expect(lines.all == [.init(level: .info, message: "half", metadata: metadata)])
    }

    @Test("Without a destination of one's own, lines have the form of Baton's")
    func lines() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let logger = OperationLogger(
            logLevel: .debug,
            metadata: ["operation": "12/3"],
            to: Logger(label: "operation", level: .trace, descriptor: descriptor)
        )
        let text = "two\nlines"
        logger.debug("\(text)", metadata: ["file": "a b"])
        try pipe.fileHandleForWriting.close()
        let line = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(line.hasSuffix("Z debug operation: two\\nlines file=\"a b\" operation=12/3\n"), "\(line)")
    }
}
