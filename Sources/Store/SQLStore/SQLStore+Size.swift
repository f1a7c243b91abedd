#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The sizes of the files.
@_spi(Baton) extension SQLStore {
    /// Returns the sizes of the file and of its write-ahead log, and the room beside them; a file that is not there has no bytes.
    public func size() throws(StoreError) -> RecordSize? {
        guard case .file(let parts) = engine, parts.disk == nil else { return nil }
        let file = parts.file
        var size = RecordSize(file: Self.bytes(of: file) ?? 0, log: Self.bytes(of: file + "-wal") ?? 0)
        var disk = statvfs()
        if statvfs(file, &disk) == 0 {
            let block = UInt64(disk.f_frsize)
            size.free = Int64(clamping: UInt64(disk.f_bavail).multipliedReportingOverflow(by: block).partialValue)
            size.disk = Int64(clamping: UInt64(disk.f_blocks).multipliedReportingOverflow(by: block).partialValue)
        }
        return size
    }

    private static func bytes(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}
