#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Checks a fact that holds unless Baton has a bug, and ends the process with status 70 if the fact does not hold.
///
/// An invariant concerns Baton's own state only, never the content of a message, a file or a command line: such content is
/// validated and answered. A coordinator or worker that contradicts itself ends, because a restart from the record is safe
/// and a continuation is not.
///
/// - Parameters:
///   - condition: the fact; a cheap expression, which is evaluated in all builds.
///   - message: a sentence that says what is wrong; evaluated only for the report.
@inlinable
@_spi(Baton) public func invariant(
    _ condition: @autoclosure () -> Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    if !condition() { failInvariant(message(), file: file, line: line) }
}

/// Checks facts that take long to check, if the environment asks for such checks.
///
/// The environment variable `BATON_CHECK_INVARIANTS` with the value `1` turns the checks on, also in release builds. The
/// tests, the simulation and the chaos test set the variable.
///
/// - Parameter violations: the sentences about the violated facts; empty unless Baton has a bug.
@inlinable
@_spi(Baton) public func expensiveInvariant(
    _ violations: @autoclosure () -> [String],
    file: StaticString = #fileID,
    line: UInt = #line
) {
    guard checksExpensiveInvariants else { return }
    if let first = violations().first { failInvariant(first, file: file, line: line) }
}

/// Whether the environment asks for the checks of ``expensiveInvariant(_:file:line:)``.
@_spi(Baton) public let checksExpensiveInvariants = getenv("BATON_CHECK_INVARIANTS").map { String(cString: $0) } == "1"

/// Reports a violated invariant in one line on standard error, and ends the process with status 70 (`EX_SOFTWARE`).
///
/// The process ends without its exit handlers: they could act on the state that is wrong.
@_spi(Baton) public func failInvariant(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    let sentence = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let report = "baton: internal error: \(sentence) (\(file):\(line)) Report this line as a bug of Baton.\n"
    var rest = Substring(report).utf8
    while !rest.isEmpty {
        let written = Array(rest).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        guard written > 0 else { break }
        rest = rest.dropFirst(written)
    }
    _exit(70)
}
