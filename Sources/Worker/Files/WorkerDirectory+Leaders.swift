@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The coordinators that the workers of a directory have obeyed.
extension WorkerDirectory {
    /// The file with the ranks of the coordinators.
    private var leaders: String { path + "/leaders" }

    /// The most bytes that are read of the file; it has a few lines.
    private static let maximumLength = 16_384

    /// The ranks of the coordinators; empty without a file that can be read.
    var knownRanks: KnownRanks {
        let descriptor = OwnFile.open(leaders, O_RDONLY)
        guard descriptor >= 0 else { return KnownRanks() }
        defer { closeDescriptor(descriptor) }
        let bytes = readBytes(descriptor, from: 0, atMost: Self.maximumLength)
        return KnownRanks(lines: String(decoding: bytes, as: UTF8.self))
    }

    /// Replaces the file, on disk before the call returns; a crash leaves the old or the new file.
    func keep(_ ranks: KnownRanks) throws(FileFailure) {
        try SmallFile.replace(leaders, with: ranks.lines)
    }
}
