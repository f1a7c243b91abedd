@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads pieces of the files that are kept here.
struct PieceReader {
    private let store: FileStore

    init(_ store: FileStore) {
        self.store = store
    }

    /// Reads a piece of a kept file; nil if the file is not kept here, or cannot be read.
    func piece(of digest: ContentDigest, from offset: UInt64, limit: UInt32) -> FilePiece? {
        guard let (descriptor, size) = store.open(digest) else { return nil }
        defer { closeDescriptor(descriptor) }
        guard offset <= size else { return nil }
        let length = min(Int(clamping: limit), FilePiece.maximumLength, Int(clamping: size - offset))
        let bytes = readBytes(descriptor, from: offset, atMost: length)
        guard bytes.count == length else {
            // A file never shrinks: it is damaged, or its disk is (FI8).
            store.drop(digest, isDamaged: true)
            return nil
        }
        return FilePiece(offset: offset, size: size, bytes: bytes)
    }

    /// Whether a file that is not kept here was found damaged.
    func wasDamaged(_ digest: ContentDigest) -> Bool { store.wasDamaged(digest) }

    /// Reads a piece of a kept file into a message, without another copy of its bytes; without the file, the message says so.
    func message(
        with number: UInt64,
        of digest: ContentDigest,
        from offset: UInt64,
        limit: UInt32
    ) -> FilledBytes {
        wholeMessage(with: number, of: digest, from: offset, limit: limit)
            ?? FilledBytes(copying: PassedPiece(number: number, echo: number, piece: nil).encoded())
    }

    private func wholeMessage(
        with number: UInt64,
        of digest: ContentDigest,
        from offset: UInt64,
        limit: UInt32
    ) -> FilledBytes? {
        guard let (descriptor, size) = store.open(digest) else { return nil }
        defer { closeDescriptor(descriptor) }
        guard offset <= size else { return nil }
        let length = min(Int(clamping: limit), FilePiece.maximumLength, Int(clamping: size - offset))
        let beginning = PassedPiece.beginning(
            number: number,
            echo: number,
            offset: offset,
            size: size,
            length: length
        )
        var isWhole = false
        let message = FilledBytes(count: beginning.count + length) { memory in
            memory.copyBytes(from: beginning)
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[beginning.count...])
            isWhole = Self.fill(rest, from: descriptor, at: offset)
        }
        guard isWhole else {
            // As in ``piece(of:from:limit:)``.
            store.drop(digest, isDamaged: true)
            return nil
        }
        return message
    }

    /// Reads bytes of a file into memory.
    ///
    /// - Returns: whether the file had as many bytes there as the memory.
    private static func fill(_ memory: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: UInt64) -> Bool
    {
        var filled = 0
        while filled < memory.count {
            let rest = memory.baseAddress?.advanced(by: filled)
            let count = pread(descriptor, rest, memory.count - filled, off_t(clamping: offset) + off_t(filled))
            if count > 0 {
                filled += count
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
