@_spi(Baton) import BatonOperations

/// The content of a file, which both an older and a newer worker may read: its layout changes only with the file's format.
@_spi(Baton) extension KeptAttempts {
    /// The attempts as bytes; the length is linear in the content.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.value(moment)
        writer.list(attempts)
        return writer.bytes
    }

    /// Decodes attempts.
    ///
    /// - Throws: ``WireError`` `malformed` unless the bytes are exactly such a list.
    /// - Complexity: O(length), in time and memory, for any bytes.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        reader.message = "kept-attempts"
        self.init(moment: try reader.value(), attempts: try reader.list("the kept attempts"))
        guard reader.remaining == 0 else {
            throw reader.malformed("the end", "is followed by \(reader.remaining) more bytes")
        }
    }
}

@_spi(Baton) extension KeptAttempts.Attempt: WireCodable {
    static let minimumLength = ClaimedAttempt.minimumLength + 2

    func write(to writer: inout ByteWriter) {
        writer.value(claim)
        writer.optional(result)
        writer.age(age)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            claim: try reader.value(),
            result: try reader.optional("the end of a kept attempt"),
            age: try reader.age()
        )
        guard claim.phase == (result == nil ? .waiting : .finished) else {
            throw reader.malformed("a kept attempt's phase", "does not fit its end")
        }
    }
}
