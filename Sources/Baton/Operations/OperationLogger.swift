@_spi(Baton) import BatonLogging

/// The logger of a running operation, in the shape of the package swift-log.
///
/// A logger is a value: a threshold, the metadata of each line, and a destination, which is standard error unless
/// ``ClusterWorker/logger`` says otherwise. With a level's `rawValue`, either package can write for the other. Lines of swift-log go
/// where those of the operation go through this handler, `Logger(label: "resize") { _ in BatonHandler(logger: context.logger) }`:
///
/// ```swift
/// struct BatonHandler: LogHandler {
///     var logger: OperationLogger
///     var metadata: Logger.Metadata = [:]
///     var logLevel: Logger.Level {
///         get { Logger.Level(rawValue: logger.logLevel.rawValue) ?? .info }
///         set { logger.logLevel = OperationLogger.Level(rawValue: newValue.rawValue) ?? .info }
///     }
///     subscript(metadataKey key: String) -> Logger.MetadataValue? {
///         get { metadata[key] }
///         set { metadata[key] = newValue }
///     }
///     func log(event: LogEvent) {
///         let all = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues(\.description)
///         logger.log(level: .init(rawValue: event.level.rawValue) ?? .info, "\(event.message)", metadata: all)
///     }
/// }
/// ```
///
/// The other way round, lines of operations go to a logger of swift-log:
///
/// ```swift
/// worker.logger = OperationLogger(logLevel: .trace) { level, message, metadata in
///     logger.log(level: .init(rawValue: level.rawValue) ?? .info, "\(message)", metadata: metadata.mapValues { .string($0) })
/// }
/// ```
public struct OperationLogger: Sendable {
    /// The importance of a line, from `trace` up to `critical`.
    public enum Level: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
        /// A step of a program.
        case trace
        /// For the search for a fault.
        case debug
        /// For an operator.
        case info
        /// Out of the ordinary.
        case notice
        /// May become a fault.
        case warning
        /// A fault.
        case error
        /// A fault that needs attention now.
        case critical

        /// Whether the left level matters less than the right level.
        public static func < (left: Level, right: Level) -> Bool { left.stored < right.stored }

        /// The level as the rest of Baton has it.
        fileprivate var stored: Logger.Level {
            switch self {
            case .trace: .trace
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
        }
    }

    /// The least level to write.
    public var logLevel: Level

    /// The metadata of each line: that of an attempt has `operation`, `attempt` and `worker`.
    public var metadata: [String: String]

    private let write: @Sendable (Level, String, [String: String]) -> Void

    /// Creates a logger with a destination of one's own.
    ///
    /// - Parameters:
    ///   - logLevel: the least level to write.
    ///   - metadata: the metadata of each line.
    ///   - write: writes a line with a level, a text and metadata; called on the thread that logs, by several threads at once.
    public init(
        logLevel: Level = .info,
        metadata: [String: String] = [:],
        write: @escaping @Sendable (_ level: Level, _ message: String, _ metadata: [String: String]) -> Void
    ) {
        self.logLevel = logLevel
        self.metadata = metadata
        self.write = write
    }

    /// Creates a logger that writes to standard error, in the form of Baton's own lines.
    ///
    /// - Parameters:
    ///   - logLevel: the least level to write.
    ///   - metadata: the metadata of each line.
    public init(logLevel: Level = .info, metadata: [String: String] = [:]) {
        self.init(logLevel: logLevel, metadata: metadata, to: Logger(label: "operation", level: .trace))
    }

    init(logLevel: Level = .info, metadata: [String: String] = [:], to logger: Logger) {
        self.init(logLevel: logLevel, metadata: metadata) { level, message, metadata in
            logger.log(level: level.stored, "\(message)", metadata: metadata.mapValues { .string($0) })
        }
    }

    /// The value of a key in the metadata of each line.
    public subscript(metadataKey key: String) -> String? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line, if `level` reaches ``logLevel``; otherwise the arguments are not even evaluated.
    ///
    /// - Parameters:
    ///   - level: the importance of the line.
    ///   - message: the text.
    ///   - metadata: the metadata of this line alone, which goes before that of the logger.
    public func log(
        level: Level,
        _ message: @autoclosure () -> String,
        metadata: @autoclosure () -> [String: String]? = nil
    ) {
        guard level >= logLevel else { return }
        write(level, message(), metadata().map { self.metadata.merging($0) { _, new in new } } ?? self.metadata)
    }
}
