import CBatonLine
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

/// What a process that make has called as a shell tells of itself: the content of the first message, as `CLine.h` has it.
struct LineRequest {
    /// The arguments of `make-shell`; nil if not all are texts.
    let words: [String]?
    /// The directory of the process; nil if it is no text.
    let directory: String?
    /// The variables of its environment.
    let environment: [String: [UInt8]]
    /// The file mode creation mask; nil for bits that are no permissions.
    let mask: FileMask?

    /// Reads a content; nil for one of another form.
    init?(_ content: [UInt8]) {
        let numberCount = 4
        let width = MemoryLayout<UInt32>.size
        guard content.count >= numberCount * width, content.last == 0 else { return nil }
        let numbers = content.withUnsafeBytes { bytes -> [Int] in
            (0..<numberCount).map { position -> Int in
                Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position * width, as: UInt32.self)))
            }
        }
        let texts = content[(numberCount * width)...].dropLast().split(separator: 0, omittingEmptySubsequences: false)
        let (wordCount, variableCount) = (numbers[2], numbers[3])
        guard numbers[0] == Int(CLINE_PROTOCOL), texts.count == 2 + wordCount + variableCount else { return nil }
        mask = UInt16(exactly: numbers[1]).flatMap(FileMask.init(rawValue:))
        let given = String(validating: texts[0], as: UTF8.self) ?? ""
        directory =
            given.hasPrefix("/") && LogicalDirectory.isPlain(given)
            ? given : String(validating: texts[1], as: UTF8.self)
        let words = texts[2..<(2 + wordCount)].map { String(validating: $0, as: UTF8.self) }
        self.words = words.contains(nil) ? nil : words.compactMap { $0 }
        var environment: [String: [UInt8]] = [:]
        for text in texts[(2 + wordCount)...] {
            guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: text[..<equals], as: UTF8.self)
            // As for getenv(3), the first one counts.
            if environment[name] == nil { environment[name] = Array(text[(equals + 1)...]) }
        }
        self.environment = environment
    }

    /// The line's submission; nil for a line that `make-shell` has to refuse, or to run on its host.
    ///
    /// - Parameters:
    ///   - socket: the path of `with-job`'s socket.
    ///   - onOmission: takes the name of each variable that the operation does not get, and the sentence that says so.
    func submission(
        without socket: String,
        onOmission: (_ name: String, _ sentence: String) -> Void
    ) -> Submission? {
        guard let directory, var words else { return nil }
        var shell = MakeShellCommand.usualShell
        if words.count > 2, words[0] == "--shell" {
            shell = words[1]
            words.removeFirst(2)
        }
        // Other options of make-shell itself are left to it.
        guard !shell.isEmpty, !shell.hasPrefix("-"), let first = words.first, !first.hasPrefix("--"), first != "-h",
            first.hasPrefix("-") || first.hasPrefix("+"), let call = ShellArguments(words),
            !MakeLine(text: call.line).namesMake
        else { return nil }
        let variables = ClientEnvironment.all(
            of: environment.keys,
            without: socket,
            text: { (name: String) -> String? in environment[name].flatMap { String(validating: $0, as: UTF8.self) } },
            onOmission: onOmission
        )
        return MakeShellCommand.submission(of: [shell] + call.words, in: directory, variables, mask)
    }
}
