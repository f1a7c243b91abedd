#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file on its way into a ``FetchDirectory``: it gets its name only when it is complete.
@_spi(Baton) public final class FetchedFile {
    /// The path, for messages.
    private let place: String
    private let part: String
    private let name: String
    private let directory: Int32
    private var descriptor: Int32
    /// Called when there is no part of the file any more; nil afterwards.
    private var onEnd: (() -> Void)?

    init(
        place: String,
        part: String,
        name: String,
        directory: Int32,
        descriptor: Int32,
        onEnd: @escaping () -> Void
    ) {
        self.place = place
        self.part = part
        self.name = name
        self.directory = directory
        self.descriptor = descriptor
        self.onEnd = onEnd
    }

    deinit { abandon() }

    /// Adds bytes.
    public func write(_ bytes: [UInt8]) throws(FetchError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FetchError(writing: place, count < 0 ? errno : ENOSPC) }
            written += count
        }
    }

    /// Gives the file its name; an earlier file of that name is replaced.
    public func finish() throws(FetchError) {
        // Some file systems report only here that there was no room.
        let isClosed = systemClose(descriptor) == 0
        let code = errno
        descriptor = -1
        guard isClosed else { throw FetchError(writing: place, code) }
        guard renameat(directory, part, directory, name) == 0 else { throw FetchError(writing: place, errno) }
        end()
    }

    /// Removes the file, unless it is finished; a repeated call has no effect.
    public func abandon() {
        guard onEnd != nil else { return }
        if descriptor >= 0 { _ = systemClose(descriptor) }
        unlinkat(directory, part, 0)
        end()
    }

    private func end() {
        onEnd?()
        onEnd = nil
        _ = systemClose(directory)
    }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    write(descriptor, buffer.baseAddress, buffer.count)
}

private func systemClose(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
