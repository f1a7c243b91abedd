import Glibc

/// A file that the kernel makes up while it is read, as in `/proc` and `/sys`: its size is not known before.
enum KernelFile {
    /// The whole content; nil if this process may not open the file, or the file does not exist.
    static func bytes(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// The whole content as text; empty if the file cannot be opened.
    static func text(of path: String) -> String { String(decoding: bytes(of: path) ?? [], as: UTF8.self) }
}
