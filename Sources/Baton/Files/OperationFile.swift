@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// A file that an operation has left, and that workers keep.
///
/// ```swift
/// var options = OperationOptions()
/// options.outputs = ["*.bam"]
/// options.copies = 2  // two workers keep each of them
/// let align = CommandOperation("sh", "-c", "bwa mem $REF reads.fq | samtools sort -o out.bam", options: options)
/// try await queue.addOperation(align)
/// try await align.waitUntilFinished()
/// for file in try await align.files { print(file.path, file.size, file.holders) }
/// try await align.fetchFiles(to: "results")
/// ```
public struct OperationFile: Hashable, Sendable {
    /// The operation that has left the file.
    public let operation: OperationAddress
    /// The path below the operation's directory, with "/" between the parts.
    public let path: String
    /// The number of bytes.
    public let size: Int
    /// The permissions, such as `0o644`.
    public let permissions: Int
    /// The SHA-256 of the bytes, as hexadecimal digits; nil if the key is that of a viewer.
    public let digest: String?
    /// The attempt that has left the file; 0 if the operation took the result of an earlier operation, or if the file was sent.
    public let attempt: Int
    /// The names of the workers that keep the file.
    public let holders: [String]
    /// The number of workers that are to keep the file, without archives.
    public let copies: Int
    /// Whether no worker keeps the file any more.
    ///
    /// If an operation that has not started needs the file, the operation that made it runs again, and makes the file again.
    public let isLost: Bool
}

extension OperationFile {
    /// Reads a file out of a page; nil for one of another form.
    init?(_ tree: JSONTree, at object: Int) {
        guard let operation = tree.text("operation", of: object).flatMap({ OperationAddress($0) }),
            let path = tree.text("path", of: object), let size = tree.number("size", of: object), size >= 0,
            let permissions = tree.text("mode", of: object).flatMap({ Int($0, radix: 8) })
        else { return nil }
        self.init(
            operation: operation,
            path: path,
            size: size,
            permissions: permissions,
            digest: tree.text("digest", of: object),
            attempt: tree.number("attempt", of: object) ?? 0,
            holders: tree.texts("holders", of: object) ?? [],
            copies: tree.number("copies", of: object) ?? 1,
            isLost: tree.text("state", of: object) == "lost"
        )
    }

    /// The file as it is fetched; nil without a digest.
    var kept: KeptFile? {
        guard let digest = digest.flatMap({ ContentDigest(hexadecimal: $0) }) else { return nil }
        return KeptFile(
            path: path,
            size: Int64(size),
            mode: UInt16(clamping: permissions) & KeptFile.permissions,
            digest: digest
        )
    }
}
