@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Files read by the command line; `-` stands for standard input.
enum InputFile {
    private static let pieceLength = 1 << 16
    /// What some editors write in front of a text in UTF-8.
    private static let byteOrderMark = Array("\u{FEFF}".utf8)

    /// Reads a whole file.
    ///
    /// - Parameter limit: the most bytes that the file may have.
    /// - Throws: ``CommandFailure`` with the system's reason, or for a longer file.
    static func bytes(of path: String, atMost limit: Int = .max) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachPiece(of: path) { (piece) throws(CommandFailure) in
            bytes += piece
            guard bytes.count <= limit else { throw tooLong(path, limit) }
        }
        return bytes
    }

    /// Reads a whole ordinary file, and nothing else: a pipe would have the process wait for whoever writes into it, and a device may
    /// have no end.
    ///
    /// - Parameter limit: the most bytes that the file may have.
    /// - Throws: ``CommandFailure`` with the system's reason, or for another or a longer file.
    static func ordinaryBytes(of path: String, atMost limit: Int) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(
                ExitStatus.refusedInput,
                code: "invalid",
                "\(name(path)) cannot be read: it is not an ordinary file."
            )
        }
        guard status.st_size <= limit else { throw tooLong(path, limit) }
        var bytes: [UInt8] = []
        try forEachPiece(of: path, at: descriptor) { (piece) throws(CommandFailure) in
            bytes += piece
            guard bytes.count <= limit else { throw tooLong(path, limit) }
        }
        return bytes
    }

    /// The number of bytes in a file; nil if the length is unknown before reading.
    static func length(of path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Reads a file in pieces, without waiting for the end of the file.
    static func forEachPiece(
        of path: String,
        _ body: ([UInt8]) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        try forEachPiece(of: path, at: descriptor, body)
    }

    private static func forEachPiece(
        of path: String,
        at descriptor: Int32,
        _ body: ([UInt8]) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var buffer = [UInt8](repeating: 0, count: pieceLength)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return }
            if count > 0 {
                try body(Array(buffer[..<count]))
            } else if errno != EINTR {
                throw failure(path, errno)
            }
        }
    }

    /// The lines of a text file, without line ends (LF or CR LF) and a byte order mark; an empty last line is dropped.
    ///
    /// - Throws: ``CommandFailure`` for an unreadable file, and for invalid UTF-8, because a command's arguments could not keep
    ///   the bytes.
    static func lines(of path: String) throws(CommandFailure) -> [String] {
        var bytes = try bytes(of: path)[...]
        if bytes.starts(with: byteOrderMark) { bytes.removeFirst(byteOrderMark.count) }
        // Split bytes instead of characters, because CR LF is a single character of a string.
        var pieces = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if pieces.last?.isEmpty == true { pieces.removeLast() }
        var lines: [String] = []
        lines.reserveCapacity(pieces.count)
        for piece in pieces {
            let line = piece.last == UInt8(ascii: "\r") ? piece.dropLast() : piece
            lines.append(try text(of: line, in: path, place: "line \(lines.count + 1)"))
        }
        return lines
    }

    /// The items of a file, each of which ends with a zero byte, and which are kept as they are; an empty last item is dropped.
    ///
    /// - Throws: ``CommandFailure`` for an unreadable file, for invalid UTF-8, and for several lines without any zero byte, which
    ///   would be a single item.
    static func items(of path: String) throws(CommandFailure) -> [String] {
        let bytes = try bytes(of: path)
        guard bytes.contains(0) || !bytes.contains(UInt8(ascii: "\n")) else {
            throw CommandFailure(
                ExitStatus.refusedInput,
                code: "invalid",
                "\(name(path)) has lines, and no zero byte that would end an item.",
                advice: "Give --each-line for a file with an item in each line."
            )
        }
        var pieces = bytes.split(separator: 0, omittingEmptySubsequences: false)
        if pieces.last?.isEmpty == true { pieces.removeLast() }
        var items: [String] = []
        items.reserveCapacity(pieces.count)
        for piece in pieces { items.append(try text(of: piece, in: path, place: "item \(items.count + 1)")) }
        return items
    }

    private static func text(
        of bytes: ArraySlice<UInt8>,
        in path: String,
        place: String
    ) throws(CommandFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(
                ExitStatus.refusedInput,
                code: "invalid",
                "\(name(path)) is not valid UTF-8: see \(place)."
            )
        }
        return text
    }

    /// The name of a file in a sentence.
    static func name(_ path: String) -> String {
        path == "-" ? "Standard input" : "The file \(path.printable)"
    }

    private static func tooLong(_ path: String, _ limit: Int) -> CommandFailure {
        CommandFailure(
            ExitStatus.refusedInput,
            code: "tooLarge",
            "\(name(path)) has more than \(limit) bytes."
        )
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            code == EACCES || code == EPERM ? ExitStatus.notAllowed : ExitStatus.notFound,
            code: "file",
            "\(name(path)) cannot be read: \(String(cString: strerror(code)))."
        )
    }
}
