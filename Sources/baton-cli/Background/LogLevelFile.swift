@_spi(Baton) import BatonLogging

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The file `log-level` in a state directory, whose word goes before the option `--log-level` for as long as the file exists.
///
/// The environment and the options of a process cannot change while it runs; a file can.
struct LogLevelFile: Sendable {
    /// The most bytes of the file, whose word is a short one.
    private static let mostBytes = 64

    /// The threshold of the process's loggers.
    let threshold: LogThreshold
    /// The level without the file.
    let usual: Logger.Level

    private let path: String

    /// Names the file of a state directory, which need not exist.
    init(home: String, usual: Logger.Level) {
        path = home + "/log-level"
        self.usual = usual
        threshold = LogThreshold(usual)
    }

    /// Takes over the level of the file, or the usual one without a file.
    ///
    /// A file without a level changes nothing, and is a line of the log.
    func read(_ logger: Logger) {
        guard access(path, F_OK) == 0 else { return threshold.set(usual) }
        do throws(CommandFailure) {
            let bytes = try InputFile.ordinaryBytes(of: path, atMost: Self.mostBytes)
            let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard words.count == 1, let level = Logger.Level(rawValue: String(words[0])) else {
                throw CommandFailure(
                    ExitStatus.refusedInput,
                    code: "invalid",
                    "\(path) holds no level of the log. Write one word of: "
                        + "\(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))."
                )
            }
            threshold.set(level)
        } catch {
            logger.warning("the level of the log stays as it was", metadata: ["reason": "\(error.message)"])
        }
    }
}
