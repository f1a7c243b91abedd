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

    /// Writes a text in a single call, as the kernel expects it.
    ///
    /// - Returns: whether the kernel took the text; else the reason is in errno.
    static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }

    /// The number in a line such as `oom_kill 3`; nil without such a line.
    static func value(of key: String, in path: String) -> Int64? {
        let lines = text(of: path).split(separator: "\n")
        let fields = lines.lazy.map { $0.split(separator: " ") }.first { $0.count == 2 && $0[0] == key }
        return fields.flatMap { Int64($0[1]) }
    }
}
