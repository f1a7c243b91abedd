import Foundation
import Glibc
import Testing

@_spi(Baton) @testable import BatonLogging

@Suite("Loggers")
struct LoggerTests {
    /// What a logger wrote.
    private func written(level: Logger.Level = .info, _ body: (inout Logger) -> Void) throws -> String {
        let file = FileManager.default.temporaryDirectory.path + "/baton-logging-" + UUID().uuidString
        let descriptor = open(file, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(file)
        }
        var logger = Logger(label: "worker", level: level, descriptor: descriptor)
        body(&logger)
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    @Test("A log line has time, level, label, message and metadata in the order of their keys")
    func logLineHasTime() throws {
        let line = try written { logger in
            logger[metadataKey: "worker"] = "w1"
            logger.info(
                "connected after \(3) tries",
                metadata: ["operation": "12/3", "coordinator": .stringConvertible("tcp://127.0.0.1:7461")]
            )
        }
        let pattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.*)\n/
        let rest = try #require(line.wholeMatch(of: pattern)).1
        #expect(
            rest == "info worker: connected after 3 tries coordinator=tcp://127.0.0.1:7461 operation=12/3 worker=w1"
        )
    }

    @Test("Loggers that share a threshold follow its changes")
    func sharedThreshold() {
        let threshold = LogThreshold(.notice)
        let (first, second) = (Logger(label: "a", threshold: threshold), Logger(label: "b", threshold: threshold))
        #expect(first.level == .notice && !threshold.admits(.info))
        threshold.set(.debug)
        #expect(first.level == .debug && second.level == .debug && threshold.admits(.debug))
        #expect(!threshold.admits(.trace) && threshold.admits(.critical))
    }

    @Test(
        "The times of log lines are in UTC, to the millisecond",
        arguments: [
            (0, 0, "1970-01-01T00:00:00.000Z"),
            (1_795_230_000, 123, "2026-11-21T03:00:00.123Z"),
            (951_782_399, 7, "2000-02-28T23:59:59.007Z"),
            (951_782_400, 999, "2000-02-29T00:00:00.999Z"),
        ]
    )
    func timesLogLinesUTC(seconds: Int, milliseconds: Int, text: String) throws {
        var line = LogLine()
        line.append(timestamp: LogTime(seconds: seconds, milliseconds: milliseconds))
        #expect(String(decoding: line.bytes, as: UTF8.self) == text)
    }

    @Test("A logger writes only the lines at or above its threshold", arguments: Logger.Level.allCases)
    func loggerWritesOnlyLines(threshold: Logger.Level) throws {
        let output = try written(level: threshold) { logger in
            logger.trace("trace")
            logger.debug("debug")
            logger.info("info")
            logger.notice("notice")
            logger.warning("warning")
            logger.error("error")
            logger.critical("critical")
        }
        let messages = output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
        #expect(messages == Logger.Level.allCases.drop { $0 != threshold }.map { $0.rawValue[...] })
    }

    @Test("A log line below the threshold is not written, and its message is not evaluated")
    func logLineBelowThreshold() throws {
        var evaluated = false
        func expensive() -> String {
            evaluated = true
            return ""
        }
        let output = try written { $0.debug("\(expensive())", metadata: ["key": "\(expensive())"]) }
        #expect(output.isEmpty)
        #expect(!evaluated)
    }

    @Test("A logged text cannot break its line or pass for another value")
    func loggedTextCannotBreak() throws {
        let line = try written { logger in
            logger.error(
                "two\nlines\u{1b}[2J",
                metadata: ["a": "b c", "d": "say \"x\"\r", "e": "", "f": "ü", "g": "x\"\u{301} h=1\\"]
            )
        }
        let expected =
            #"error worker: two\nlines\x1b[2J a="b c" d="say \"x\"\r" e="" f=ü g="x\""#
            + "\u{301}" + #" h=1\\""# + "\n"
        #expect(line.utf8.suffix(expected.utf8.count).elementsEqual(expected.utf8))
        #expect(line.filter { $0 == "\n" }.count == 1)
    }

    @Test("The log lines of many threads do not mix")
    func logLinesManyThreads() throws {
        let output = try written { logger in
            let logger = logger
            DispatchQueue.concurrentPerform(iterations: 200) { index in
                logger.info("\(String(repeating: "x", count: index))", metadata: ["length": "\(index)"])
            }
        }
        let lengths = try output.split(separator: "\n").map { line in
            let match = try #require(line.firstMatch(of: /: (x*) length=(\d+)$/))
            #expect(match.1.count == Int(match.2))
            return match.1.count
        }
        #expect(lengths.sorted() == Array(0..<200))
    }
}
