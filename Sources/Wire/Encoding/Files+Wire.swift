@_spi(Baton) import BatonOperations

@_spi(Baton) extension ContentDigest: WireCodable {
    static let minimumLength = ContentDigest.length

    func write(to writer: inout ByteWriter) {
        writer.bytes(of: bytes)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let bytes = try reader.blob("a digest", length: Self.length)
        guard let digest = ContentDigest(bytes: bytes) else { throw reader.malformed("a digest", "has another length") }
        self = digest
    }
}

@_spi(Baton) extension KeptFile: WireCodable {
    static let minimumLength = 2 + 1 + 1 + ContentDigest.minimumLength

    func write(to writer: inout ByteWriter) {
        writer.text(path)
        writer.varint(size)
        writer.varint(mode)
        writer.value(digest)
    }

    /// Reads a file, whose path leads nowhere but below the directory of its operation (FI2).
    init(from reader: inout ByteReader) throws(WireError) {
        let path = try reader.filePath()
        let size: Int64 = try reader.varint("the size of a file")
        let mode: UInt16 = try reader.varint("the mode of a file")
        guard mode & ~Self.permissions == 0 else { throw reader.malformed("the mode of a file", "is \(mode)") }
        self.init(path: path, size: size, mode: mode, digest: try reader.value())
    }
}

@_spi(Baton) extension InputFile: WireCodable {
    static let minimumLength = 2 + KeptFile.minimumLength

    func write(to writer: inout ByteWriter) {
        writer.text(folder)
        writer.value(file)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let folder = try reader.text("the folder of an input", atMost: WireLimits.maximumFileNameLength)
        self.init(folder: folder, file: try reader.value())
        // The coordinator makes the name; a worker makes a directory of it.
        guard !folder.utf8.contains(UInt8(ascii: "/")), KeptFile.objection(toPath: folder) == nil else {
            throw reader.malformed("the folder of an input", "is no name of a directory")
        }
    }
}

@_spi(Baton) extension FilePiece: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.varint(offset)
        writer.varint(size)
        writer.blob(bytes)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            offset: try reader.varint("the offset in a file"),
            size: try reader.varint("the size of a file"),
            bytes: try reader.blob("the piece of a file", atMost: Self.maximumLength)
        )
        guard offset <= size, UInt64(bytes.count) <= size - offset else {
            throw reader.malformed("the piece of a file", "reaches beyond the end of the file")
        }
    }
}

@_spi(Baton) extension SentPiece: WireCodable {
    static let minimumLength = ContentDigest.minimumLength + 5

    func write(to writer: inout ByteWriter) {
        writer.value(digest)
        writer.varint(size)
        writer.varint(mode)
        writer.varint(offset)
        writer.blob(bytes)
        writer.flag(isLast)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            digest: try reader.value(),
            size: try reader.varint("the size of a file"),
            mode: try reader.varint("the mode of a file"),
            offset: try reader.varint("the offset in a file"),
            bytes: try reader.blob("the piece of a file", atMost: Self.maximumLength),
            isLast: try reader.flag("whether a file ends")
        )
        guard mode & ~KeptFile.permissions == 0 else { throw reader.malformed("the mode of a file", "is \(mode)") }
        guard size <= UInt64(Int64.max) else { throw reader.malformed("the size of a file", "is \(size)") }
        guard offset <= size, UInt64(bytes.count) <= size - offset else {
            throw reader.malformed("the piece of a file", "reaches beyond the end of the file")
        }
        guard isLast == (UInt64(bytes.count) == size - offset), isLast || !bytes.isEmpty else {
            throw reader.malformed("the piece of a file", "does not end where the file does")
        }
    }
}

extension ByteReader {
    /// Reads the path of a file below the directory of its operation (FI2).
    mutating func filePath() throws(WireError) -> String {
        let path = try text("the path of a file", atMost: KeptFile.maximumPathLength)
        if let objection = KeptFile.objection(toPath: path) { throw malformed("the path of a file", objection) }
        return path
    }

    /// Reads a list of digests.
    mutating func digests() throws(WireError) -> [ContentDigest] {
        try list("the digests", atMost: WireLimits.maximumHeldFiles)
    }

    /// Reads the files of one attempt, or of a submitter.
    mutating func filesOfAttempt(_ what: StaticString = "the files of an attempt") throws(WireError) -> [KeptFile] {
        let files: [KeptFile] = try list(what, atMost: KeptFile.maximumCount)
        guard !files.isEmpty else { throw malformed(what, "are none") }
        let length = files.reduce(0) { $0 + $1.path.utf8.count }
        guard length <= KeptFile.maximumPathsLength else {
            throw malformed(what, "have \(length) bytes of paths")
        }
        return files
    }
}
