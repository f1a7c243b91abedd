/// Writes lines to standard error: `2026-11-21T03:00:00.123Z info worker: connected coordinator=tcp://127.0.0.1:7461`.
///
/// The interface follows swift-log, so that either can stand for the other. A logger is a value, and no global state exists; the
/// loggers of a process may share a threshold, which can change. Each line is one write(2), so that lines of several
/// threads and processes do not mix.
@_spi(Baton) public struct Logger: Sendable {
    /// The name of the logging component, in each line.
    public let label: String

    /// The metadata at the end of each line.
    public var metadata: Metadata

    private let threshold: LogThreshold
    private let descriptor: Int32

    /// The least level to write.
    public var level: Level { threshold.level }

    /// Creates a logger that writes lines of `level` and above.
    ///
    /// - Parameters:
    ///   - label: The name of the logging component.
    ///   - level: The least level to write.
    ///   - metadata: The metadata at the end of each line.
    ///   - descriptor: The destination of lines, owned by the caller: standard error unless a test reads the lines.
    public init(label: String, level: Level = .info, metadata: Metadata = [:], descriptor: Int32 = 2) {
        self.init(label: label, threshold: LogThreshold(level), metadata: metadata, descriptor: descriptor)
    }

    /// Creates a logger with the threshold of others.
    public init(label: String, threshold: LogThreshold, metadata: Metadata = [:], descriptor: Int32 = 2) {
        self.label = label
        self.threshold = threshold
        self.metadata = metadata
        self.descriptor = descriptor
    }

    /// The value of a key in the metadata at the end of each line.
    public subscript(metadataKey key: String) -> MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line, if `level` reaches the threshold; otherwise the arguments are not even evaluated.
    ///
    /// A line that cannot be written is lost, since no destination is left for a report.
    public func log(
        level: Level,
        _ message: @autoclosure () -> Message,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        guard threshold.admits(level) else { return }
        var line = LogLine()
        line.append(timestamp: .now)
        line.append(" \(level.rawValue) \(label): ")
        line.append(escaping: message().text)
        let all = metadata().map { self.metadata.merging($0) { _, new in new } } ?? self.metadata
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line.append(" \(key)=")
            line.append(value: value.description)
        }
        line.write(to: descriptor)
    }
}

@_spi(Baton) extension Logger {
    /// Logs a step of a program.
    public func trace(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .trace, message(), metadata: metadata())
    }

    /// Logs details for the search for a fault.
    public func debug(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .debug, message(), metadata: metadata())
    }

    /// Logs information for an operator.
    public func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .info, message(), metadata: metadata())
    }

    /// Logs an event out of the ordinary that is no fault.
    public func notice(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .notice, message(), metadata: metadata())
    }

    /// Logs a condition that may become a fault.
    public func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .warning, message(), metadata: metadata())
    }

    /// Logs a fault.
    public func error(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .error, message(), metadata: metadata())
    }

    /// Logs a fault that needs attention now.
    public func critical(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .critical, message(), metadata: metadata())
    }
}
