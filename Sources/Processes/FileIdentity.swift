import Glibc

/// Which file or directory of the host something leads to.
///
/// The identity of a removed file may pass to a new one, unless the file is still open.
@_spi(Baton) public struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// The identity of an open file; nil for a reason in errno.
    public init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }

    /// The identity of what is at a path, of a link itself; nil for a reason in errno.
    public init?(at path: String) {
        var status = stat()
        // The string itself as an argument would be copied into an array for the call.
        guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }

    /// The identity of what a path leads to, through links; nil for a reason in errno.
    public init?(following path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
