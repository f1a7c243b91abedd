/// Writes lines to standard error: `2026-11-21T03:00:00.123Z info worker: connected coordinator=tcp://127.0.0.1:7461`.
///
/// The shape is that of swift-log, so that either can stand for the other. A logger is a value: its threshold and
/// its metadata are set where it is made, and there is nothing global. Each line is one write(2), so that lines
/// of several threads and processes do not mix.
public struct Logger: Sendable {
    /// What is logging, as it stands in each line.
    public let label: String

    /// The least level that is written.
    public var level: Level

    /// What stands at the end of each line.
    public var metadata: Metadata

    private let descriptor: Int32

    /// A logger that writes lines of `level` and above.
    ///
    /// - Parameters:
    ///   - label: What is logging.
    ///   - level: The least level that is written.
    ///   - metadata: What stands at the end of each line.
    ///   - descriptor: Where lines go: standard error unless a test reads them. It stays the caller's.
    public init(label: String, level: Level = .info, metadata: Metadata = [:], descriptor: Int32 = 2) {
        self.label = label
        self.level = level
        self.metadata = metadata
        self.descriptor = descriptor
    }

    /// Adds to, changes or removes what stands at the end of each line.
    public subscript(metadataKey key: String) -> MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line, if `level` reaches the threshold; otherwise the arguments are not even evaluated.
    ///
    /// A line that cannot be written is lost: there is nobody to tell.
    public func log(
        level: Level,
        _ message: @autoclosure () -> Message,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        guard level >= self.level else { return }
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

extension Logger {
    /// Logs what helps to follow a program step by step.
    public func trace(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .trace, message(), metadata: metadata())
    }

    /// Logs what helps to find a fault.
    public func debug(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .debug, message(), metadata: metadata())
    }

    /// Logs what an operator may want to know.
    public func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .info, message(), metadata: metadata())
    }

    /// Logs what is no fault, but out of the ordinary.
    public func notice(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .notice, message(), metadata: metadata())
    }

    /// Logs what may become a fault.
    public func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .warning, message(), metadata: metadata())
    }

    /// Logs a fault.
    public func error(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .error, message(), metadata: metadata())
    }

    /// Logs a fault that somebody has to look at now.
    public func critical(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
        log(level: .critical, message(), metadata: metadata())
    }
}
