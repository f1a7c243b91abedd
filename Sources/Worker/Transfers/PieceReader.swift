@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

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
            store.drop(digest)
            return nil
        }
        return FilePiece(offset: offset, size: size, bytes: bytes)
    }
}
