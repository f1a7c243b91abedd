import BatonArguments

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the command line writes, and where.
enum Output {
    /// Writes a line to standard output.
    static func line(_ text: String) throws {
        try write(Array((text + "\n").utf8), to: STDOUT_FILENO)
    }

    /// Writes a document that came as bytes to standard output, with a newline.
    static func document(_ bytes: [UInt8]) throws {
        try write(bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Writes a table to standard output, as wide as the terminal or as wide as it is.
    static func table(_ table: TextTable) throws {
        try line(table.rendered(width: Terminal.isStandardOutput ? Terminal.width : nil, style: style))
    }

    /// Writes a sentence to standard error; where nobody can read it, nothing is lost.
    static func note(_ sentence: String) {
        _ = try? write(Array((sentence + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``QuietExit`` where the reader has gone away, as the signal would have ended the process, and
    ///   ``CommandFailure`` where the bytes cannot be written.
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
            case EPIPE: throw QuietExit(status: ExitStatus.signal(SIGPIPE))
            case let code:
                let reason = String(cString: strerror(code))
                throw CommandFailure(ExitStatus.fault, code: "output", "The output cannot be written: \(reason).")
            }
        }
    }

    /// The colours of standard output.
    static var style: Style {
        Style(isTerminal: Terminal.isStandardOutput, environment: Surroundings.coloursOnly)
    }

    /// A terminal that somebody else has made non-blocking is waited for.
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
