@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonTexts

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The output of the command line.
enum Output {
    /// Writes text to standard output, with a newline.
    ///
    /// The text may have several lines and the colours of ``style``. Other control characters, and those that hide or turn round text,
    /// are made printable, wherever they came from. Foreign text within a line has to be printable before: see ``DocumentReader``.
    static func line(_ text: String) throws {
        try write(Array((shown(text) + "\n").utf8), to: STDOUT_FILENO)
    }

    /// Text of several lines as standard output may get it.
    static func shown(_ text: String) -> String {
        // Nearly always there is no colour, and nobody asks for the terminal.
        text.utf8.contains(0x1B)
            ? PrintableText.lines(of: text, keeping: style.sequences) : PrintableText.lines(of: text)
    }

    /// Writes a document given as bytes to standard output, with a newline.
    static func document(_ bytes: [UInt8]) throws {
        try write(bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Writes a table to standard output, at most as wide as the terminal; without a terminal, in full width.
    static func table(_ table: TextTable) throws {
        try line(table.rendered(width: Terminal.isStandardOutput ? Terminal.width : nil, style: style))
    }

    /// Writes a sentence to standard error as one line, with what is foreign in it made printable; a failure to write is ignored.
    static func note(_ sentence: String) { note(sentence, behind: "") }

    /// Writes the lines of a text of Baton's own to standard error; see ``note(_:)`` for text with foreign parts.
    static func notes(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { note(String(line)) }
    }

    private static func note(_ sentence: String, behind start: String) {
        let bytes = Array((start + sentence.printable + "\n").utf8)
        if let line = ServedLine.current { return line.note(bytes) }
        _ = try? write(bytes, to: STDERR_FILENO)
    }

    /// Writes a sentence to standard error, on a terminal in place of progress that may stand in the line of the cursor.
    static func noteOverProgress(_ sentence: String) {
        note(sentence, behind: ServedLine.current == nil && Terminal.isStandardError ? "\r\u{1B}[K" : "")
    }

    /// Draws a line of progress on a terminal's standard error over the previous one; an empty text erases it.
    static func progress(_ text: String) {
        guard Terminal.isStandardError else { return }
        _ = try? write(Array(("\r\u{1B}[K" + text.printable.prefix(Terminal.width - 1)).utf8), to: STDERR_FILENO)
    }

    /// Discards whatever the process writes from now on, for a process about to exit.
    static func silence() {
        let sink = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard sink >= 0 else { return }
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] { _ = dup2(sink, descriptor) }
        close(sink)
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``QuietExit`` if the reader has gone away, for an end by SIGPIPE, and ``CommandFailure`` if the
    ///   bytes cannot be written.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]))
            }
            if count >= 0 {
                written += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitUntilWritable(descriptor)
            case let code: throw failure(code)
            }
        }
    }

    /// What ends a command whose output the system does not take.
    ///
    /// - Parameter code: the system's reason.
    static func failure(_ code: Int32) -> any Error {
        if code == EPIPE { return QuietExit(signal: SIGPIPE) }
        return CommandFailure(
            ExitStatus.ofUnwritable(code),
            code: "output",
            "The output cannot be written: \(String(cString: strerror(code)))."
        )
    }

    /// The colours of standard output.
    static var style: Style {
        Style(isTerminal: Terminal.isStandardOutput, environment: Surroundings.coloursOnly)
    }

    /// Waits for a descriptor, because another process may have made the terminal non-blocking.
    private static func waitUntilWritable(_ descriptor: Int32) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = systemPoll(&poll)
    }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    write(descriptor, buffer.baseAddress, buffer.count)
}

private func systemPoll(_ descriptor: inout pollfd) -> Int32 {
    poll(&descriptor, 1, -1)
}
